import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

@Suite(.limited) struct ClusterTests {
  private let clock = VirtualClock()
  private let store: MemoryTimerStore

  init() { store = MemoryTimerStore { [clock] in clock.date } }

  @Test("Of three replicas one runs each date, at its exact time")
  func oneRunsEachDate() async throws {
    let dates = Mutex<[(due: Date, began: Date)]>([])
    let replicas = (1...3).map { TestReplica("replica \($0)", clock: clock, store: store) }
    for replica in replicas {
      replica.scheduler.schedule(.every(.seconds(60), starting: .aligned), name: "bill", in: replica.cluster)
      { run in
        dates.withLock { [clock] in $0.append((run.scheduledDate, clock.date)) }
      }
    }
    let start = clock.date
    await clock.advance(by: .seconds(600))
    let due = (1...10).map { start + 60 * Double($0) }
    #expect(dates.withLock { $0.map(\.due) } == due)
    #expect(dates.withLock { $0.map(\.began) } == due)
    #expect(
      try await store.history(of: "bill", limit: 100).allSatisfy { $0.outcome == .done && $0.attempt == 1 })
  }
}
