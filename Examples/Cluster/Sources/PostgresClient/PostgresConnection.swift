import Dispatch
import TimerScheduling

/// One session with a PostgreSQL server, which runs one statement at a time.
///
/// All calls of libpq are made on a queue of the connection's own. A statement waits in a dispatch source of
/// the socket, and so blocks no thread. After a cancelled statement, or one that took too long, the session
/// is closed, because the state of the server isn't known; the server is asked to stop the statement.
public actor PostgresConnection {
  private let executor = QueueExecutor(label: "postgres")
  private let timeLimit: Duration
  private var session: Libpq?
  private var runsStatement = false

  /// The connection's own queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(timeLimit: Duration) {
    self.timeLimit = timeLimit
  }

  /// Connects to the server that the connection string names, with TLS where it says so.
  func open(_ connectionString: String) async throws {
    try await withTimeout(timeLimit) {
      guard let session = Libpq(connectionString) else { throw PostgresError.connection("out of memory") }
      guard !session.isBroken else { throw PostgresError.connection(session.message) }
      // A new session begins with a wait, as if libpq had asked for it.
      var next = Libpq.Poll.needs(.writable)
      while case .needs(let event) = next {
        try await self.wait(for: event, of: session)
        next = session.poll()
      }
      guard case .connected = next else { throw PostgresError.connection(session.message) }
      self.session = session
    }
  }

  /// Runs a statement, and returns its rows. Parameters (`$1` …) and columns are texts, and nil is NULL.
  ///
  /// - Throws: A ``PostgresError``, a `TimeoutError` or a `CancellationError`. After the last two, as after a
  ///   failed connection, the statement may have been carried out.
  @discardableResult
  public func rows(_ sql: String, _ parameters: [String?] = []) async throws -> [[String?]] {
    try await answers(to: sql, parameters).rows
  }

  /// Closes the session. A transaction that is under way is rolled back.
  func close() {
    session = nil
  }

  /// Whether the session is open, between two transactions, and as far as known the server's end is open,
  /// too.
  var isIdle: Bool {
    guard let session, !runsStatement, !session.isInTransaction else { return false }
    do {
      // A server that ends the session sends a message first, so only the second call finds the end of the
      // stream.
      try session.receive()
      try session.receive()
      return !session.isBroken
    } catch {
      return false
    }
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { session?.isInTransaction ?? false }

  /// Runs a statement. Returns its rows and the server's confirmation.
  func answers(to sql: String, _ parameters: [String?] = []) async throws -> Answers {
    try Task.checkCancellation()
    guard let session else { throw PostgresError.connection("The session is closed.") }
    guard !runsStatement else { throw PostgresError.connection("The session runs another statement.") }
    runsStatement = true
    defer { runsStatement = false }
    do {
      let answers = try await withTimeout(timeLimit) {
        try await self.exchange(sql, parameters, with: session)
      }
      try answers.throwFailure()
      return answers
    } catch let error as PostgresError {
      if case .connection = error { close() }
      throw error
    } catch {
      // PQcancel blocks, so it has a thread to itself.
      DispatchQueue(label: "postgres cancel").async(execute: session.makeCancel())
      close()
      throw error
    }
  }

  /// Calls a closure for each notification of a channel, until the task is cancelled or the connection fails.
  func listen(to channel: String, _ notified: @Sendable () -> Void) async throws {
    defer { close() }
    try await rows("LISTEN \"\(channel.replacing("\"", with: "\"\""))\"")
    while let session {
      while session.takeNotification() { notified() }
      try await wait(for: .readable, of: session)
      try session.receive()
    }
  }

  private func exchange(_ sql: String, _ parameters: [String?], with session: Libpq) async throws -> Answers {
    try session.send(sql, parameters)
    while try !session.flush() { try await wait(for: .writable, of: session) }
    var answers = Answers()
    while true {
      while session.isWaiting {
        try await wait(for: .readable, of: session)
        try session.receive()
      }
      guard let answer = try session.nextAnswer() else { return answers }
      answers.append(answer)
    }
  }

  private func wait(for event: SocketWait.Event, of session: Libpq) async throws {
    let wait = SocketWait(for: event, on: session.socket, queue: executor.queue)
    try await wait()
  }
}
