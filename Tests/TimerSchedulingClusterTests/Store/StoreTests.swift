import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingClusterTesting
import TimerSchedulingTesting

@Suite(.limited) struct StoreTests {
  @Test("The store in memory keeps the contract", .guarantee("G164"))
  func memory() async throws {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    try await TimerStoreContract(MemoryTimerStore { clock.date }) { await clock.advance(by: $0) }.check()
  }

  @Test(
    "A database without the schema, or with one that is too new, is refused with a sentence",
    arguments: [
      (nil, "migrate()"), ("another schema", "migrate()"),
      ("TimerScheduling 2, for programs since 2", "drop it, and call migrate()"),
      ("TimerScheduling 5, for programs since 4", "Update"),
    ])
  func schema(comment: String?, advice: String) async {
    let store = PostgresTimerStore { _, _ in [[comment]] }
    let error = await #expect(throws: ClusterError.self) {
      try await store.history(of: nil, limit: 1)
    }
    #expect(error?.description.contains(advice) == true)
  }

  @Test("A newer schema that serves this program is used, and asked for once")
  func newerSchema() async throws {
    let statements = Mutex<[String]>([])
    let store = PostgresTimerStore { sql, _ in
      statements.withLock { $0.append(sql) }
      return sql.contains("obj_description")
        ? [["TimerScheduling 4, for programs since 3"]] : [[#"{"runs": []}"#]]
    }
    for _ in 1...2 { #expect(try await store.history(of: nil, limit: 1).isEmpty) }
    #expect(statements.withLock(\.count) == 3)
  }

  @Test("A zero byte of an error's text isn't sent, and all else is")
  func zeroByte() async throws {
    let parameters = Mutex<[String]>([])
    let store = PostgresTimerStore { sql, given in
      parameters.withLock { $0 += given.compactMap(\.self) }
      return sql.contains("obj_description")
        ? [["TimerScheduling 3, for programs since 3"]] : [[#"{"now": 1, "verdicts": ["written"]}"#]]
    }
    let time = StoreTime(microseconds: 1)
    let failure = #"a"# + "\0" + #"\u0000 "ß" \"#
    let answer = try await store.end([
      RunEnd(token: 1, outcome: .failed, through: time, schedule: "one", missed: 0, failure: failure)
    ])
    #expect(answer.now == time && answer.verdicts == [.written])
    struct Sent: Decodable { var ends: [RunEnd] }
    let sent = try JSONDecoder().decode(Sent.self, from: Data(parameters.withLock { $0[0] }.utf8))
    #expect(sent.ends.first?.failure == #"a\u0000 "ß" \"#)
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
