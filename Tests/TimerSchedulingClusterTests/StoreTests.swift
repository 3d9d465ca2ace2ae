import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

@Suite(.limited) struct StoreTests {
  @Test("The store in memory keeps the contract")
  func memory() async throws {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    try await TimerStoreContract(MemoryTimerStore { clock.date }) { await clock.advance(by: $0) }.check()
  }

  @Test(
    "A database without the schema, or with one that is too new, is refused with a sentence",
    arguments: [
      (nil, "migrate()"), ("another schema", "migrate()"),
      ("TimerScheduling 3, for programs since 2", "Update"),
    ])
  func schema(comment: String?, advice: String) async {
    let store = PostgresTimerStore { _, _ in [[comment]] }
    let error = await #expect(throws: ClusterError.self) {
      try await store.register(job: "a", fingerprint: "b")
    }
    #expect(error?.description.contains(advice) == true)
  }

  @Test("A newer schema that serves this program is used, and asked for once")
  func newerSchema() async throws {
    let statements = Mutex<[String]>([])
    let store = PostgresTimerStore { sql, _ in
      statements.withLock { $0.append(sql) }
      return sql.contains("obj_description")
        ? [["TimerScheduling 2, for programs since 1"]] : [["1", "2", "3"]]
    }
    for _ in 1...2 {
      let registration = try await store.register(job: "a", fingerprint: "b")
      #expect(registration.now == StoreTime(microseconds: 3))
    }
    #expect(statements.withLock(\.count) == 3)
  }

  @Test("Schedules whose dates depend on a replica are refused with a sentence, and others aren't")
  func schedules() throws {
    let refused: [TimerSchedule] = [
      .every(.seconds(60)), .every(.seconds(60), starting: .immediately), .after(.seconds(1)),
      .every(.seconds(60), starting: .aligned).missedTicks(.delay),
      .every(.seconds(60), starting: .aligned).limit(3),
    ]
    for schedule in refused {
      let error = #expect(throws: ClusterError.self) { try TimerCluster.validate(schedule) }
      #expect(error?.description.contains("Use .rule, .at") == true)
    }
    try TimerCluster.validate(.at(Date(timeIntervalSince1970: 1)))
    try TimerCluster.validate(
      .every(.seconds(60), starting: .spread(by: "tenant-1", over: .seconds(60))))
    try TimerCluster.validate(.every(.seconds(60), starting: .at(Date(timeIntervalSince1970: 1))))
  }
}
