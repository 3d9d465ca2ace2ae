import DatabaseSupport
import PostgresClient
import Testing

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct ConnectionTests {
  private let database = PostgresClient(Databases.direct)

  @Test func `A connection that the server has closed is replaced before the next statement`() async throws {
    let other = PostgresClient(Databases.direct, connections: 1)
    let session = try await other.rows("SELECT pg_backend_pid()::text")
    try await database.rows("SELECT pg_terminate_backend($1::int, 10000)", [session[0][0]])
    #expect(try await other.rows("SELECT pg_backend_pid()::text") != session)
  }

  @Test func `A statement whose connection is cut fails, and isn't sent again`() async throws {
    let other = PostgresClient(Databases.direct, connections: 1)
    let sleep = Task { try await other.rows("SELECT pg_sleep(600) AS cut") }
    try await database.waitForRows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%AS cut' AND pid <> pg_backend_pid()"
    )
    let error = await #expect(throws: PostgresError.self) { _ = try await sleep.value }
    guard case .connection = error else { Issue.record("\(String(describing: error))"); return }
  }

  @Test func `A server that isn't there is a failed connection`() async throws {
    let nowhere = PostgresClient("host=127.0.0.1 port=1")
    let error = await #expect(throws: PostgresError.self) { try await nowhere.rows("SELECT 1") }
    guard case .connection = error else { Issue.record("\(String(describing: error))"); return }
  }

  @Test(arguments: [
    ("sslmode=disable", "f"), ("sslmode=require", "t"),
    ("sslmode=verify-full sslrootcert=\(Databases.certificate)", "t"),
  ])
  func `The connection string says whether a session is encrypted`(mode: String, isEncrypted: String)
    async throws
  {
    let client = PostgresClient("\(Databases.direct) \(mode)")
    let rows = try await client.rows("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    #expect(rows == [[isEncrypted]])
  }

  @Test func `A server with a certificate of another authority is refused`() async throws {
    let client = PostgresClient("\(Databases.direct) sslmode=verify-full sslrootcert=/etc/hostname")
    await #expect(throws: PostgresError.self) { try await client.rows("SELECT 1") }
  }

  @Test func `More statements wait at a time than there are threads`() async throws {
    let many = PostgresClient(Databases.direct, connections: 40)
    try await database.transaction { db in
      try await db.rows("SELECT pg_advisory_xact_lock(1840)")
      try await withThrowingTaskGroup { group in
        for _ in 0..<40 {
          group.addTask { _ = try await many.rows("SELECT pg_advisory_xact_lock_shared(1840)") }
        }
        try await database.waitForRows(
          "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 1840 AND NOT granted HAVING count(*) = 40"
        )
        try await db.rows("COMMIT")
        try await group.waitForAll()
        try await db.rows("BEGIN")
      }
    }
  }

  @Test func `A client has at most its number of connections`() async throws {
    let few = PostgresClient("\(Databases.direct) application_name=few", connections: 3)
    let sessions = try await withThrowingTaskGroup { group in
      for _ in 0..<30 {
        group.addTask { try await few.rows("SELECT pg_backend_pid()::text, pg_sleep(0.01)")[0][0] }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(sessions.count <= 3)
  }
}
