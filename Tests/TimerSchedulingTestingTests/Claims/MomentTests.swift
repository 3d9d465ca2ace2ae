import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Moments that don't end by themselves: rule T6. Each program runs in a child process, as a fault hangs it.
@Suite(.limited, .guarantee("G206")) struct MomentTests {
  // MARK: K10

  @Test func `Time moves past a task that only yields`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      try await withVirtualClock { clock in
        let worker = Worker()
        async let waited: Void = worker.waitByYielding()
        try await Task.sleep(for: .seconds(5))
        #expect(clock.now.offset == .seconds(5))
        await worker.setReady()
        await waited
        #expect(clock.now.offset == .seconds(5))
      }
    }
  }

  @Test func `Time moves past a task that only yields, beside a wait for a continuation`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      try await withVirtualClock { clock in
        let waiting = Box<CheckedContinuation<Void, Never>>()
        let spinning = Task { while !Task.isCancelled { await Task.yield() } }
        TimerScheduler(clock: clock).schedule(after: 60) { _ in waiting.value?.resume() }
        await withCheckedContinuation { continuation in waiting.value = continuation }
        #expect(clock.now.offset == .seconds(60))
        spinning.cancel()
      }
    }
  }

  @Test func `Time moves past tasks that only yield, beside a loop, timers and a task on the main actor`()
    async
  {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      try await withVirtualClock { clock in
        let (scheduler, ticks, workers) = (
          TimerScheduler(clock: clock), Counter(), [Worker(), Worker(), Worker()]
        )
        scheduler.schedule(every: 1) { _ in ticks.add() }
        let loop = Task { for await _ in scheduler.ticks(every: 1) { await Task.yield() } }
        let waits = workers.map { worker in Task { await worker.waitByYielding() } }
        let main = Task { @MainActor in while !Task.isCancelled { await Task.yield() } }
        for (round, worker) in workers.enumerated() {
          try await Task.sleep(for: .seconds(1.5))
          #expect(clock.now.offset == .seconds(1.5) * (round + 1))
          await worker.setReady()
        }
        for wait in waits { await wait.value }
        #expect(ticks.value == 4)
        main.cancel()
        loop.cancel()
      }
    }
  }

  @Test func `A body that only yields ends by its timeout`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let timeout = Duration.milliseconds(200)
      let error = try #require(
        await #expect(throws: VirtualTimeError.self) {
          try await withVirtualClock(limit: .seconds(1_000_000_000), timeout: timeout) { _ in
            while true { await Task.yield() }
          }
        })
      #expect(error.description.contains("couldn't go on for \(timeout) of real time"))
    }
  }

  // MARK: K15

  @Test func `Time moves past a task that polls with sleeps for nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging()
      let naps: [@Sendable () async throws -> Void] = [
        { try await Task.sleep(for: .zero) }, { try await Task.sleep(for: .nanoseconds(1)) },
        { try await Task.sleep(nanoseconds: 1) }, { try await Task.sleep(nanoseconds: 0) },
        { try await Task.sleep(until: .now, clock: .continuous) },
        { try await Task.sleep(for: .seconds(-1)) },
      ]
      for nap in naps {
        try await withVirtualClock(timeout: .seconds(30)) { clock in
          let worker = Worker()
          async let waited: Void = worker.wait(by: nap)
          try await Task.sleep(for: .seconds(1))
          #expect(clock.now.offset == .seconds(1))
          await worker.setReady()
          await waited
          #expect(clock.now.offset < .seconds(1.000_001))
        }
      }
    }
  }

  @Test func `A chain of timers without a delay is an error that names it`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging(after: 1_200)
      let error = try #require(
        await #expect(throws: VirtualTimeError.self) {
          // Longer than the moment takes under the thread sanitizer on a busy machine.
          try await withVirtualClock(timeout: .seconds(1_000)) { clock in
            repeatAtOnce(on: TimerScheduler(clock: clock))
            try await Task.sleep(for: .seconds(1))
          }
        })
      #expect(error.description.contains("\"again\""))
    }
  }

  // It takes ten seconds of a processor in debug, as the test above does.
  @Test(.enabled(if: rounds(100) == 100))
  func `A move of a bare clock over a chain of timers without a delay ends, and fails the test`() async {
    await #expect(processExitsWith: .success) {
      endIfHanging(after: 1_200)
      let failures = Journal<String>()
      let clock = VirtualClock(onFailure: failures.note)
      repeatAtOnce(on: TimerScheduler(clock: clock))
      await clock.advance(by: 1)
      #expect(failures.entries.count == 1)
      #expect(failures.entries.first?.contains("\"again\"") == true)
    }
  }

  @Test func `A moment with many jobs that end is no error`() async throws {
    try await withVirtualClock { clock in
      let count = Counter()
      await withTaskGroup { group in
        for _ in 0..<500 {
          group.addTask {
            for _ in 0..<50 { await Task.yield() }
            count.add()
          }
        }
      }
      #expect(count.value == 500)
      #expect(clock.now.offset == .zero)
    }
  }

  @Test func `A task that yields and then works isn't passed by`() async throws {
    // A fault of this kind shows when time passes a task that isn't done.
    try await withVirtualClock { clock in
      async let computed = {
        for _ in 0..<100 { await Task.yield() }
        return clock.now.offset
      }()
      try await Task.sleep(for: .seconds(1))
      #expect(await computed == .zero)
    }
  }
}

private func repeatAtOnce(on scheduler: TimerScheduler) {
  scheduler.schedule(after: 0, name: "again") { _ in repeatAtOnce(on: scheduler) }
}

private actor Worker {
  private var isReady = false

  func setReady() { isReady = true }

  nonisolated func waitByYielding() async { while await !isReady { await Task.yield() } }

  nonisolated func wait(by nap: @Sendable () async throws -> Void) async {
    while await !isReady { try? await nap() }
  }
}
