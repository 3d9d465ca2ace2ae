import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// A store one of whose requests hangs, and whose client doesn't notice that its task was cancelled.
@Suite(.limited, .guarantee("G160")) struct HangingStoreTests: ClusterSuite {
  let shared = TestCluster()

  private final class HangingStore: TimerStore {
    private let store: MemoryTimerStore
    private let clock: VirtualClock
    private let hangs = Mutex<String?>(nil)

    init(_ store: MemoryTimerStore, clock: VirtualClock) { (self.store, self.clock) = (store, clock) }

    /// Has the next request of a kind hang for five minutes.
    func hang(_ name: String) { hangs.withLock { $0 = name } }

    func perform(_ request: StoreRequest) async throws -> StoreAnswer {
      let isHanging = hangs.withLock { hangs in
        guard hangs == type(of: request.call).name else { return false }
        hangs = nil
        return true
      }
      if isHanging { await Task { [clock] in try? await clock.sleep(for: .seconds(300)) }.value }
      return try await store.perform(request)
    }
  }

  @Test(arguments: ["claim", "end", "renew", "register", "put"])
  func `A request that hangs is left behind, and the replica goes on`(name: String) async throws {
    let (observer, journal) = (FailureLog(), Journal<Int>())
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = observer
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let hanging = HangingStore(store, clock: clock)
    let cluster = TimerCluster(store: hanging, scheduler: scheduler, replica: "a")
    cluster.schedule(.every(.seconds(10), starting: .aligned), name: "job") { [clock, start] run in
      journal.note(Int(run.scheduledDate.timeIntervalSince(start)))
      try await clock.sleep(for: .seconds(7))
    }
    await clock.advance(by: .seconds(31))
    hanging.hang(name)
    if name == "register" { cluster.handle("report") { _ in } }
    let put = Task { [clock, start] in
      _ = try? await cluster.put(name: "put", handler: "report")
      return clock.date.timeIntervalSince(start)
    }
    await clock.advance(by: .seconds(40))
    // A request of the program's waits for a lease at most.
    let ended = await put.value
    #expect(name == "put" ? ended == 46 : ended < 46)
    await clock.advance(by: .seconds(408))
    #expect(journal.entries.suffix(30) == (18...47).map { $0 * 10 })
    let isTold = observer.failures.contains { $0.contains("took longer") }
    #expect(isTold == ["claim", "register"].contains(name))
    #expect(try await store.history(of: "job", limit: 500).allSatisfy { $0.outcome == .done })
    await scheduler.shutdownAndWait()
  }
}
