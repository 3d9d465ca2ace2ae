import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// A replica renews its lease in real time, whatever its actions do.
@Suite(.limited, .guarantee("G166")) struct LeaseTests {
  // All threads that schedulers share are blocked, so it is a process of its own.
  @Test func `Actions that block all threads don't hold up the lease, and each is done`() async throws {
    await #expect(processExitsWith: .success) {
      let (store, scheduler) = (FaultyStore(MemoryTimerStore()), TimerScheduler())
      let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(3))
      let gate = DispatchSemaphore(value: 0)
      let begun = Counter()
      cluster.handle("report", limit: 1_000, ifAbandoned: .leave) { _ in
        begun.add()
        wait(for: gate)
      }
      func waitUntil(_ condition: () async throws -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(300)
        while try await !condition() {
          if ContinuousClock.now > limit { exit(1) }
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      let jobs = (0..<200).map { NewJob(name: "\($0)", handler: "report") }
      // On a busy machine a request may take longer than a lease.
      try await waitUntil { (try? await cluster.put(jobs)) != nil }
      try await waitUntil { begun.value > 64 }
      // More than a lease.
      let renewals = store.renewals
      try await waitUntil { store.renewals > renewals + 4 }
      // The replica leaves others what its threads can't begin.
      let claimed = try await cluster.jobs(limit: 1_000).count { $0.run != nil }
      let waiting = claimed - begun.value
      #expect(1...100 ~= waiting, "\(waiting)")
      for _ in 0..<200 { gate.signal() }
      try await waitUntil { try await cluster.jobs().isEmpty }
      let history = try await cluster.history(of: nil, limit: 1_000)
      #expect(history.count == 200 && history.allSatisfy { $0.outcome == .done })
    }
  }

  /// A rule that waits for something when its dates are computed.
  private struct BlockingRule: TickRule, CustomStringConvertible {
    let state: State

    final class State: Sendable {
      /// Called for each date after the first, as when missed dates are counted.
      let wait = Mutex<(@Sendable () -> Void)?>(nil)
    }

    var description: String { "each minute" }

    func nextTick(after date: Date) -> Date? {
      state.wait.withLock(\.self)?()
      return Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 60).rounded(.down) * 60 + 60)
    }
  }

  // Fails if dates are computed before the row is held.
  @Test func `A claimed row is held while a slow rule computes its dates`() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 30))
    let store = FaultyStore(MemoryTimerStore { time.withLock(\.self) })
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(1))
    let state = BlockingRule.State()
    let (runs, continuation) = AsyncStream.makeStream(of: Date.self)
    cluster.schedule(.rule(BlockingRule(state: state)), name: "job") { run in
      continuation.yield(run.scheduledDate)
    }
    while try await cluster.jobs().first?.nextDate != Date(timeIntervalSince1970: 60) {
      try await Task.sleep(for: .milliseconds(5))
    }
    let renewals = store.renewals
    let limit = Date() + 10
    state.wait.withLock { wait in
      wait = {
        // The store is asked for renewals meanwhile, as the row is held.
        while store.renewals < renewals + 3, Date() < limit { Thread.sleep(forTimeInterval: 0.01) }
      }
    }
    time.withLock { $0 = Date(timeIntervalSince1970: 61) }
    try await cluster.run("job")
    var dates = runs.makeAsyncIterator()
    #expect(await dates.next() == Date(timeIntervalSince1970: 60))
    #expect(store.renewals >= renewals + 3)
    await scheduler.shutdownAndWait()
    #expect(try await cluster.history(of: "job").allSatisfy { $0.outcome == .done })
  }
}

/// Blocks the thread, which code in a task isn't allowed to do directly.
private func wait(for gate: DispatchSemaphore) { gate.wait() }
