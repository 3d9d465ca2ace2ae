import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G158")) struct ClusterTests: ClusterSuite {
  let shared = TestCluster()

  @Test("Of three replicas one runs each date, at its exact time", arguments: [0, -44.5])
  func oneRunsEachDate(offset: Double) async throws {
    let schedule = TimerSchedule.every(.seconds(60), starting: .aligned(offset: .seconds(offset)))
    let dates = Mutex<[(due: Date, began: Date)]>([])
    let replicas = (1...3).map { makeReplica("replica \($0)") }
    for replica in replicas {
      replica.schedule(schedule, name: "bill") { [clock] run in
        dates.withLock { $0.append((run.scheduledDate, clock.date)) }
      }
    }
    await clock.advance(by: .seconds(600))
    let due = (1...10).map { start + 60 * Double($0) + offset }
    #expect(dates.withLock { $0.map(\.due) } == due)
    #expect(dates.withLock { $0.map(\.began) } == due)
    #expect(
      try await store.history(of: "bill", limit: 100).allSatisfy { $0.outcome == .done && $0.attempt == 1 })
  }

  @Test(
    arguments: [
      (nil, "isn't one of this package's: no row.", .failed), ("written", "ended", .done),
      ("before", "has ended by a transaction", .failed), ("refused", "was taken over", .failed),
      ("else", "isn't one of this package's: {", .failed),
    ] as [(String?, String, ClusterRunRecord.Outcome)])
  func `A run of a store in SQL ends by the store's statement`(
    answer: String?, sentence: String, outcome: ClusterRunRecord.Outcome
  ) async throws {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(
      store: AlteredStore(store: store, alterations: .init()), scheduler: scheduler, replica: "one")
    let (statements, ends) = (Journal<String>(), Journal<String>())
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "bill") { run in
      do {
        try await run.finish { sql, parameters in
          statements.note("\(sql) \(parameters.compactMap(\.self).joined(separator: " "))")
          return answer.map { [[#"{"now": 1, "verdicts": ["\#($0)"]}"#]] } ?? []
        }
        ends.note("ended")
      } catch {
        ends.note("\(error)")
        throw error
      }
    }
    await clock.advance(by: .seconds(60))
    #expect(statements.entries == ["end 2"])
    #expect(ends.entries.count == 1 && ends.entries[0].contains(sentence))
    // The statement itself isn't performed here, as if it was rolled back. The action's return ends the run
    // then.
    #expect(try await store.history(of: "bill", limit: 10).map(\.outcome) == [outcome])
    await scheduler.shutdownAndWait()
  }
}
