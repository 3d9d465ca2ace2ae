/// A PostgreSQL database, over a few connections that are opened when they are needed and replaced after they
/// fail.
///
/// ```swift
/// let database = PostgresClient("postgresql://localhost/app?sslmode=verify-full")
/// for row in try await database.rows("SELECT name FROM customer WHERE id = $1", ["7"]) { … }
/// try await database.transaction { db in
///   try await db.rows("UPDATE account SET balance = balance - $1 WHERE id = $2", ["5", "7"])
///   try await db.rows("UPDATE account SET balance = balance + $1 WHERE id = $2", ["5", "8"])
/// }
/// ```
///
/// A statement whose connection fails isn't sent again, as it may have been carried out. The next one opens a
/// connection.
public actor PostgresClient {
  private let connectionString: String
  private let timeLimit: Duration
  private var permits: Permits
  private var idle: [PostgresConnection] = []

  /// Makes a client, which connects at its first statement.
  ///
  /// - Parameters:
  ///   - connectionString: A connection string or URL of libpq. What it doesn't say is taken from variables
  ///     such as `PGHOST` and `PGSSLMODE`.
  ///   - connections: The greatest number of connections at a time. Further statements wait.
  ///   - timeLimit: The longest time for one statement, and for connecting. A transaction that has no
  ///     statement for this long is rolled back by the server, so that a stopped process keeps no lock.
  public init(_ connectionString: String, connections: Int = 4, timeLimit: Duration = .seconds(10)) {
    precondition(connections > 0, "A client needs at least one connection.")
    self.connectionString = connectionString
    self.timeLimit = timeLimit
    permits = Permits(connections)
  }

  /// Runs a statement, and returns its rows. Parameters (`$1` …) and columns are texts, and nil is NULL.
  ///
  /// - Throws: A ``PostgresError``, a `TimeoutError` or a `CancellationError`. Unless the server refused it,
  ///   the statement may have been carried out.
  @discardableResult
  public func rows(_ sql: String, _ parameters: [String?] = []) async throws -> [[String?]] {
    try await withConnection { try await $0.rows(sql, parameters) }
  }

  /// Runs statements in one transaction, which is rolled back if `body` throws.
  ///
  /// - Throws: What `body` throws, and what ``rows(_:_:)`` does. If the connection fails at the end, the
  ///   transaction may have been committed.
  public func transaction<R: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> R
  ) async throws -> R {
    let limit = Int(timeLimit / .milliseconds(1))
    return try await withConnection { connection in
      try await connection.rows("BEGIN")
      do {
        try await connection.rows("SET LOCAL idle_in_transaction_session_timeout = '\(limit)ms'")
        let result = try await body(connection)
        // A transaction in which a statement has failed is rolled back by COMMIT, too, without an error.
        guard try await connection.answers(to: "COMMIT").tag == "COMMIT" else {
          throw PostgresError.server(state: "25P02", message: "A statement failed, so all were rolled back.")
        }
        return result
      } catch {
        if await connection.isInTransaction { _ = try? await connection.rows("ROLLBACK") }
        throw error
      }
    }
  }

  /// Calls a closure for each notification of a channel, over a further connection, until the task is
  /// cancelled.
  ///
  /// - Throws: A `CancellationError`, or a ``PostgresError`` if the connection fails. Notifications may have
  ///   been lost then.
  public func listen(to channel: String, _ notified: @escaping @Sendable () -> Void) async throws {
    let connection = PostgresConnection(timeLimit: timeLimit)
    try await connection.open(connectionString)
    try await connection.listen(to: channel, notified)
  }

  /// Closes the connections that aren't in use.
  public func close() async {
    for connection in idle { await connection.close() }
    idle = []
  }

  private func withConnection<R: Sendable>(
    _ body: (PostgresConnection) async throws -> R
  ) async throws -> R {
    try await takePermit()
    defer { permits.giveBack()?.resume() }
    let connection = try await openConnection()
    do {
      let result = try await body(connection)
      await keep(connection)
      return result
    } catch {
      await keep(connection)
      throw error
    }
  }

  private func takePermit() async throws {
    if permits.take() { return }
    let id = permits.makeID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Permits.Continuation) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          permits.wait(id, continuation)
        }
      }
    } onCancel: {
      Task { await self.endWait(id) }
    }
  }

  private func endWait(_ id: Int) {
    permits.cancel(id)?.resume(throwing: CancellationError())
  }

  private func openConnection() async throws -> PostgresConnection {
    while let connection = idle.popLast() {
      if await connection.isIdle { return connection }
    }
    let connection = PostgresConnection(timeLimit: timeLimit)
    try await connection.open(connectionString)
    return connection
  }

  private func keep(_ connection: PostgresConnection) async {
    if await connection.isIdle {
      idle.append(connection)
    } else {
      await connection.close()
    }
  }
}
