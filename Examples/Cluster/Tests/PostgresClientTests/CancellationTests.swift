import DatabaseSupport
import PostgresClient
import Testing
import TimerScheduling

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct CancellationTests {
  private let database = PostgresClient(Databases.direct)

  private func waitUntilRunning(_ mark: String) async throws {
    try await database.waitForRows(
      "SELECT FROM pg_stat_activity WHERE query LIKE '%AS ' || $1 AND state = 'active' AND pid <> pg_backend_pid()",
      [mark])
  }

  private func waitUntilStopped(_ mark: String) async throws {
    try await database.waitForRows(
      "SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%AS ' || $1 AND state = 'active')",
      [mark])
  }

  @Test func `A cancelled statement throws at once, and the server stops it`() async throws {
    let other = PostgresClient(Databases.direct, connections: 1, timeLimit: .seconds(3_600))
    let task = Task { try await other.rows("SELECT pg_sleep(600) AS cancelled") }
    try await waitUntilRunning("cancelled")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await waitUntilStopped("cancelled")
    #expect(try await other.rows("SELECT 1") == [["1"]])
  }

  @Test func `A statement that takes too long throws, and the server stops it`() async throws {
    let hasty = PostgresClient(Databases.direct, connections: 1, timeLimit: .seconds(1))
    await #expect(throws: TimeoutError.self) { try await hasty.rows("SELECT pg_sleep(600) AS slow") }
    try await waitUntilStopped("slow")
    #expect(try await hasty.rows("SELECT 1") == [["1"]])
  }

  @Test func `A cancelled task sends no statement`() async throws {
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await database.rows("SELECT 1")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `A cancelled wait for a connection ends, and the other waits go on`() async throws {
    let single = PostgresClient(Databases.direct, connections: 1)
    try await database.transaction { db in
      try await db.rows("SELECT pg_advisory_xact_lock(1841)")
      let first = Task { try await single.rows("SELECT pg_advisory_xact_lock_shared(1841), 1 AS first") }
      try await waitUntilRunning("first")
      let second = Task { try await single.rows("SELECT 2") }
      let third = Task { try await single.rows("SELECT 3") }
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
      try await db.rows("COMMIT")
      #expect(try await first.value.count == 1)
      #expect(try await third.value == [["3"]])
      try await db.rows("BEGIN")
    }
  }
}
