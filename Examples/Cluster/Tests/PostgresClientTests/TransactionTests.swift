import DatabaseSupport
import PostgresClient
import Testing
import TimerScheduling

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct TransactionTests {
  private struct Refusal: Error {}

  private let database = PostgresClient(Databases.direct)

  /// Makes an empty table of its own for a test.
  private func makeTable(_ name: String) async throws {
    try await database.rows("DROP TABLE IF EXISTS \(name)")
    try await database.rows("CREATE TABLE \(name) (n int)")
  }

  @Test func `A transaction is committed when its body returns`() async throws {
    try await makeTable("committed")
    let count = try await database.transaction { db in
      try await db.rows("INSERT INTO committed VALUES (1), (2)")
      return try await db.rows("SELECT count(*) FROM committed")
    }
    #expect(count == [["2"]])
    #expect(try await database.rows("SELECT n FROM committed ORDER BY n") == [["1"], ["2"]])
  }

  @Test func `A transaction is rolled back when its body throws`() async throws {
    try await makeTable("thrown")
    await #expect(throws: Refusal.self) {
      try await database.transaction { db in
        try await db.rows("INSERT INTO thrown VALUES (1)")
        throw Refusal()
      }
    }
    #expect(try await database.rows("SELECT n FROM thrown") == [])
  }

  @Test func `A transaction with a failed statement throws, though its body has caught the error`()
    async throws
  {
    try await makeTable("caught")
    let error = await #expect(throws: PostgresError.self) {
      try await database.transaction { db in
        try await db.rows("INSERT INTO caught VALUES (1)")
        _ = try? await db.rows("SELECT 1 / 0")
      }
    }
    #expect(error == .server(state: "25P02", message: "A statement failed, so all were rolled back."))
    #expect(try await database.rows("SELECT n FROM caught") == [])
  }

  @Test func `A transaction that is left alone is ended by the server`() async throws {
    try await makeTable("alone")
    let hasty = PostgresClient(Databases.direct, timeLimit: .milliseconds(200))
    await #expect(throws: (any Error).self) {
      try await hasty.transaction { db in
        let session = try await db.rows("SELECT pg_backend_pid()::text FROM (SELECT) x")[0][0]
        try await db.rows("INSERT INTO alone VALUES (1)")
        try await database.waitForRows(
          "SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1::int)", [session])
      }
    }
    #expect(try await database.rows("SELECT n FROM alone") == [])
  }
}
