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

  /// Claims the job's row for a new session. Returns the statement that ends the run.
  private func claim(schema: String = "timers", lease: Duration = .seconds(60)) async throws
    -> StoreFunctions.Statement
  {
    try await claim(with: StoreFunctions(database, schema: schema), lease: lease)
  }

  private func claim(with functions: StoreFunctions, lease: Duration = .seconds(60)) async throws
    -> StoreFunctions.Statement
  {
    let session = UUID()
    try await functions.register(session, job: job, lease: lease)
    return try await functions.claim(session, lease: lease).end
  }

  private func outcomes(in store: PostgresTimerStore) async throws -> [ClusterRunRecord.Outcome] {
    try await TimerCluster(store: store).history(of: job, limit: 10).map(\.outcome)
  }

  @Test func `The newest runs come first, also beyond nine`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    for _ in 1...12 {
      let end = try await claim(with: StoreFunctions(database))
      try await database.rows(end.sql, end.parameters)
    }
    #expect(try await TimerCluster(store: store).history(of: job, limit: 3).map(\.token) == [12, 11, 10])
    await database.close()
  }

  @Test func `A run ends with the transaction that ends it`() async throws {
    let store = try await makeStore()
    let end = try await claim()
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
    let end = try await claim()
    for expected in ["written", "before"] {
      let answer = try await database.transaction { db in try await db.rows(end.sql, end.parameters) }
      #expect(answer == [[expected]])
    }
    #expect(try await outcomes(in: store) == [.done])
  }

  @Test func `The end of a run that was taken over is refused`() async throws {
    let store = try await makeStore()
    let end = try await claim(lease: .milliseconds(1))
    try await Task.sleep(for: .milliseconds(5))
    let next = try await claim()
    #expect(try await database.rows(end.sql, end.parameters) == [["refused"]])
    #expect(try await database.rows(next.sql, next.parameters) == [["written"]])
    #expect(try await outcomes(in: store) == [.done, .abandoned])
  }

  @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
  func `A renewal doesn't disturb the transaction that ends a run, whatever its isolation`(level: String)
    async throws
  {
    _ = try await makeStore()
    let (functions, session) = (StoreFunctions(database), UUID())
    try await functions.register(session, job: job, lease: .seconds(60))
    let (end, token) = try await functions.claim(session, lease: .seconds(60))
    let answer = try await database.transaction { db in
      try await db.rows("SET TRANSACTION ISOLATION LEVEL \(level)", [])
      _ = try await db.rows("SELECT count(*)::text FROM timers.job", [])
      #expect(try await functions.renew(session) == [token])
      return try await db.rows(end.sql, end.parameters)
    }
    #expect(answer == [["written"]])
  }

  @Test func `Stores with schemas of their own share no jobs`() async throws {
    let schema = "a \"quoted\" schema"
    let (_, second) = try await (makeStore(), makeStore(schema: schema))
    var end = try await claim()
    try await database.rows(end.sql, end.parameters)
    #expect(try await TimerCluster(store: second).jobs().contains { $0.name == job } == false)
    end = try await claim(schema: schema)
    try await database.rows(end.sql, end.parameters)
    #expect(try await outcomes(in: second) == [.done])
  }
}
