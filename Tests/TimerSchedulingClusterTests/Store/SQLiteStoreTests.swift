import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// A file that programs of several versions use.
@Suite(.limited) struct SQLiteStoreTests {
  private actor Database {
    private let connection: SQLiteConnection

    init() throws { connection = try SQLiteConnection() }

    func transact(_ body: @Sendable (SQLiteTimerStore.Execute) throws -> Void) throws {
      try body(connection.execute)
    }
  }

  @Test func `A store whose file a newer program has taken over refuses all requests`() async throws {
    let database = try Database()
    let store = SQLiteTimerStore { body in try await database.transact(body) }
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(configuration: .silent))
    try await cluster.put(name: "job", handler: "mail")
    try await database.transact { _ = try $0("UPDATE timers_version SET programs = 3", []) }
    let error = await #expect(throws: ClusterError.self) { try await cluster.put(handler: "mail") }
    #expect(error?.description.contains("requires version 3") == true)
    await #expect(throws: ClusterError.self) { try await cluster.jobs() }
  }

  @Test func `A store whose tables a program has emptied goes on, with tokens that it hasn't given yet`()
    async throws
  {
    let database = try Database()
    let store = SQLiteTimerStore { body in try await database.transact(body) }
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(configuration: .silent))
    var tokens: [Int64] = []
    for round in 1...2 {
      let hourly = TimerSchedule.every(.seconds(3_600), starting: .aligned)
      try await cluster.put(name: "job", handler: "mail", schedule: hourly)
      for _ in 1...round { try await cluster.run("job") }
      tokens += try await cluster.jobs()[0].asked.map(\.id)
      try await database.transact { execute in
        for table in ["job", "session", "served", "handler", "run", "pause", "token", "turn"] {
          _ = try execute("DELETE FROM timers_\(table)", [])
        }
      }
    }
    #expect(tokens.count == 3 && tokens == tokens.sorted() && Set(tokens).count == 3)
  }

  // Fails if a field is added that isn't optional: programs can't read the rows of earlier ones any more.
  @Test func `Rows of the first version are read`() throws {
    let failed = #"""
      {"token": 1, "outcome": "failed", "through": 5, "schedule": "", "missed": 0, "skipped": []}
      """#
    let job = #"""
      {
        "job": {
          "name": "job", "handler": "", "schedule": "one", "payload": "", "isPaused": false, "pausedBy": "",
          "pauseReason": "", "done": 1, "failed": 0, "abandoned": 0, "missed": 0, "asked": []
        },
        "floor": 0, "from": 1, "attempt": 1, "isLost": false, "isRemoved": false, "failedEnd": \#(failed),
        "asked": [{"id": 1, "from": 1, "through": 2}],
        "skipped": [{"from": 1, "through": 2, "reason": "paused", "by": "ann", "note": ""}],
        "holder": {"token": 2, "number": 1, "began": 3, "replica": "a"}
      }
      """#
    let run = #"""
      {
        "isHidden": false,
        "record": {
          "token": 1, "job": "job", "attempt": 1, "missed": 0, "replica": "a", "outcome": "running", "began": 1,
          "isAsked": false, "schedule": "one", "skipped": []
        }
      }
      """#
    let decoder = JSONDecoder()
    #expect(try decoder.decode(JobRow.self, from: Data(job.utf8)).holder?.token == 2)
    #expect(try decoder.decode(RunRow.self, from: Data(run.utf8)).record.token == 1)
    let session = #"{"replica": "a", "lease": [0, 0], "leaseEnd": 1, "number": 1, "isOver": false}"#
    #expect(try decoder.decode(SessionRow.self, from: Data(session.utf8)).number == 1)
    let pause = #"{"by": "ann", "reason": "", "began": 1}"#
    #expect(try decoder.decode(ClusterPause.self, from: Data(pause.utf8)).by == "ann")
  }
}
