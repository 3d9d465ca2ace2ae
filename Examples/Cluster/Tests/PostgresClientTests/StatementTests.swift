import DatabaseSupport
import PostgresClient
import Testing

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct StatementTests {
  private let database = PostgresClient(Databases.direct, connections: 1)

  @Test(arguments: ["", "it's", "two\nlines", "Straße 🚲", "$1"])
  func `A text arrives and comes back unchanged`(text: String) async throws {
    #expect(try await database.rows("SELECT $1::text, $2::text", [text, nil]) == [[text, nil]])
  }

  @Test func `A text that fills many packets arrives and comes back unchanged`() async throws {
    let text = String(repeating: "text", count: 1_000_000)
    let isUnchanged = try await database.rows("SELECT $1::text", [text]) == [[text]]
    #expect(isUnchanged)
  }

  @Test func `A statement returns its rows in order`() async throws {
    let rows = try await database.rows("SELECT n, n % 2 = 0 FROM generate_series(1, 3) n")
    #expect(rows == [["1", "f"], ["2", "t"], ["3", "f"]])
  }

  @Test func `A refused statement says why and leaves the connection open`() async throws {
    let session = try await database.rows("SELECT pg_backend_pid()")
    let error = await #expect(throws: PostgresError.self) { try await database.rows("SELECT 1 / 0") }
    #expect(error == .server(state: "22012", message: "ERROR:  division by zero"))
    #expect(try await database.rows("SELECT pg_backend_pid()") == session)
  }

  @Test func `A statement that copies is refused, and the next one works`() async throws {
    await #expect(throws: PostgresError.connection("COPY isn't supported.")) {
      try await database.rows("COPY (SELECT 1) TO STDOUT")
    }
    #expect(try await database.rows("SELECT 1") == [["1"]])
  }

  @Test func `A client works through a pooler in transaction mode`() async throws {
    let pooled = PostgresClient(Databases.pooled)
    #expect(try await pooled.rows("SELECT $1::int + 1", ["1"]) == [["2"]])
    let sum = try await pooled.transaction { db in try await db.rows("SELECT $1::int + 2", ["1"]) }
    #expect(sum == [["3"]])
  }
}
