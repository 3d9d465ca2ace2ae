import DatabaseSupport
import Foundation
import PostgresClient
import Testing
import TimerSchedulingCluster

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct FenceTests {
  private let database = PostgresClient(Databases.direct)
  private let job = "fence \(UUID())"

  private struct Refusal: Error {}

  private func makeStore(schema: String = "timers") async throws -> PostgresTimerStore {
    let store = PostgresTimerStore(schema: schema) { sql, parameters in
      try await database.rows(sql, parameters)
    }
    try await store.migrate()
    return store
  }

  /// Claims the job's row for a new session. Returns the run's end.
  private func claim(from store: PostgresTimerStore, lease: Duration) async throws -> RunEnd {
    let (session, lease) = (UUID(), Int64(lease / .microseconds(1)))
    _ = try await store.register(
      SessionRegistration(
        session: session, replica: "test", lease: lease, serves: [job: "one"], declares: [job]))
    var request = ClaimRequest(
      session: session, number: 1, isRepeated: false, limit: 1, lease: lease, except: [])
    while true {
      if let run = try await store.claim(request).runs.first {
        return RunEnd(
          token: run.token, outcome: .done, date: run.until, through: run.until, next: run.until,
          schedule: "one",
          missed: 0)
      }
      // Another test's claim has locked the session that is over, to say so.
      request.number += 1
    }
  }

  private func outcomes(in store: PostgresTimerStore) async throws -> [ClusterRunRecord.Outcome] {
    try await store.history(of: job, limit: 10).map(\.outcome)
  }

  @Test func `The newest runs come first, also beyond nine`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    for _ in 1...12 { _ = try await store.end([try await claim(from: store, lease: .seconds(60))]) }
    #expect(try await store.history(of: job, limit: 3).map(\.token) == [12, 11, 10])
    await database.close()
  }

  @Test func `A run ends with the transaction that ends it`() async throws {
    let store = try await makeStore()
    let end = try store.statement(for: try await claim(from: store, lease: .seconds(60)))
    await #expect(throws: Refusal.self) {
      try await database.transaction { db in
        let answer = try await db.rows(end.sql, end.parameters)
        #expect(answer == [["written"]])
        throw Refusal()
      }
    }
    #expect(try await outcomes(in: store) == [.running])
    let answer = try await database.transaction { db in try await db.rows(end.sql, end.parameters) }
    #expect(answer == [["written"]])
    #expect(try await outcomes(in: store) == [.done])
  }

  @Test func `A transaction that is made again after its commit is refused as over`() async throws {
    let store = try await makeStore()
    let end = try store.statement(for: try await claim(from: store, lease: .seconds(60)))
    for expected in ["written", "before"] {
      let answer = try await database.transaction { db in try await db.rows(end.sql, end.parameters) }
      #expect(answer == [[expected]])
    }
    #expect(try await outcomes(in: store) == [.done])
  }

  @Test func `The end of a run that was taken over is refused`() async throws {
    let store = try await makeStore()
    let end = try store.statement(for: try await claim(from: store, lease: .milliseconds(1)))
    try await Task.sleep(for: .milliseconds(5))
    let next = try store.statement(for: try await claim(from: store, lease: .seconds(60)))
    #expect(try await database.rows(end.sql, end.parameters) == [["refused"]])
    #expect(try await database.rows(next.sql, next.parameters) == [["written"]])
    #expect(try await outcomes(in: store) == [.done, .abandoned])
  }

  @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
  func `A renewal doesn't disturb the transaction that ends a run, whatever its isolation`(level: String)
    async throws
  {
    let store = try await makeStore()
    let session = UUID()
    _ = try await store.register(
      SessionRegistration(
        session: session, replica: "test", lease: 60_000_000, serves: [job: "one"], declares: [job]))
    let request = ClaimRequest(
      session: session, number: 1, isRepeated: false, limit: 1, lease: 60_000_000, except: [])
    let run = try #require(try await store.claim(request).runs.first)
    let end = try store.statement(
      for: RunEnd(
        token: run.token, outcome: .done, date: run.until, through: run.until, schedule: "one", missed: 0))
    let answer = try await database.transaction { db in
      try await db.rows("SET TRANSACTION ISOLATION LEVEL \(level)", [])
      _ = try await db.rows("SELECT count(*)::text FROM timers.job", [])
      let renewed = try await store.renew(session: session, lease: .seconds(60), givenUp: [])
      #expect(renewed.tokens == [run.token])
      return try await db.rows(end.sql, end.parameters)
    }
    #expect(answer == [["written"]])
  }

  @Test func `Stores with schemas of their own share no jobs`() async throws {
    let (first, second) = try await (makeStore(), makeStore(schema: "a \"quoted\" schema"))
    _ = try await first.end([try await claim(from: first, lease: .seconds(60))])
    #expect(try await second.jobs().contains { $0.name == job } == false)
    _ = try await second.end([try await claim(from: second, lease: .seconds(60))])
    #expect(try await outcomes(in: second) == [.done])
  }
}
