import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store in a PostgreSQL database, reached through the program's own client.
///
/// The store sends single statements and keeps nothing in a session, so any pool and any pooler works. It needs
/// PostgreSQL 14 or later. Parameters and rows are text, and the statements cast them. Here `database` is the program's
/// client:
///
/// ```swift
/// let store = PostgresTimerStore { sql, parameters in
///   try await database.rows(sql, parameters)
/// }
/// try await store.migrate()
/// let cluster = TimerCluster(store: store, lease: .seconds(15))
/// ```
///
/// Several replicas may migrate at the same time. If the program's own client may not create schemas, migrate once
/// with a store whose client may, and grant the program's role `USAGE` on the schema, `SELECT, INSERT, UPDATE, DELETE`
/// on its tables and `USAGE` on its sequence.
public struct PostgresTimerStore: SQLTimerStore {
  private let execute: @Sendable (String, [String?]) async throws -> [[String?]]
  private let schema: String
  private let checked = Checked()

  /// Whether the schema was found to support this program.
  private final class Checked: Sendable {
    let flag = Mutex(false)
  }

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - schema: The name of the schema with the store's tables. Services with schemas of their own share no jobs.
  ///   - execute: Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as
  ///     text. It throws if the statement failed, or if its outcome isn't known. It runs outside of any other
  ///     transaction. Many tasks call it at once. It should give up when its task is cancelled.
  /// - Precondition: `schema` has 1 to 63 bytes, and no dollar sign, apostrophe, period or zero byte.
  public init(
    schema: String = "timers",
    execute: @escaping @Sendable (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]
  ) {
    precondition(
      PostgresSchema.isName(schema),
      """
      The name of a schema has 1 to 63 bytes, and no dollar sign, apostrophe, period or zero byte, but \
      \(String(reflecting: schema)) was given.
      """)
    self.schema = schema
    self.execute = execute
  }

  // MARK: The schema

  /// Creates the schema, or brings it up to this version.
  ///
  /// - Throws: The error of `execute`, or ``ClusterError/schemaNewer(_:found:supported:)``.
  public func migrate() async throws {
    do {
      for migration in PostgresSchema.migrations(schema: schema) { _ = try await execute(migration, []) }
    } catch {
      // Another program may have made the schema meanwhile, which a strict isolation doesn't let this one see.
      do { try await validate() } catch is ClusterError { throw error }
    }
    try await validate()
  }

  /// Checks that the schema exists and supports this program.
  ///
  /// Replicas make this check themselves before the first claim, and report a failure to the scheduler's observer.
  ///
  /// - Throws: ``ClusterError/schemaMissing(_:)``, ``ClusterError/schemaNewer(_:found:supported:)``, or the error of
  ///   `execute`.
  public func validate() async throws {
    let rows = try await execute(PostgresSchema.commentQuery(schema: schema), [])
    try PostgresSchema.check(comment: rows.first?.first ?? nil, schema: schema)
    checked.flag.withLock { $0 = true }
  }

  // MARK: Requests

  /// Calls one of the schema's functions, with the request and the answer as JSON.
  private func call<Answer: Decodable>(_ function: String, _ request: some Encodable) async throws -> Answer {
    if !checked.flag.withLock(\.self) { try await validate() }
    let rows = try await execute(
      PostgresSchema.named(schema, "SELECT timers.\(function)_2($1::text::jsonb)::text"),
      [try Self.text(request)])
    guard let text = rows.first?.first ?? nil else { throw UnexpectedAnswer("no row of \(function)") }
    do {
      return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    } catch is DecodingError {
      throw UnexpectedAnswer(text)
    }
  }

  private static func text(_ request: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
  }

  /// Makes a session or renews it, and registers jobs.
  public func register(_ registration: SessionRegistration) async throws -> SessionAnswer {
    try await call("register", registration)
  }

  /// Claims rows that are due.
  public func claim(_ request: ClaimRequest) async throws -> ClaimAnswer { try await call("claim", request) }

  /// Ends runs.
  public func end(_ ends: [RunEnd]) async throws -> EndAnswer {
    // Text in PostgreSQL can't contain a zero byte.
    let storable = ends.map { end in
      var end = end
      end.failure = end.failure?.replacing("\0", with: "")
      return end
    }
    return try await call("end", ["ends": storable])
  }

  /// Returns the statement that ends a run within a transaction.
  public func statement(for end: RunEnd) throws -> (sql: String, parameters: [String?]) {
    let sql = PostgresSchema.named(schema, "SELECT timers.end_2($1::text::jsonb) #>> '{verdicts,0}'")
    return (sql, [try Self.text(["ends": [end]])])
  }

  /// Renews the lease of a session.
  public func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer {
    struct Renewal: Encodable {
      var session: UUID
      var lease: Int64
      var givesUp: [Int64]
    }
    return try await call(
      "renew", Renewal(session: session, lease: lease.wholeMicroseconds, givesUp: givenUp))
  }

  /// Ends a session.
  public func close(session: UUID) async throws {
    struct Closed: Decodable {}
    let _: Closed = try await call("close", ["session": session])
  }

  /// Pauses a job for all replicas, or resumes it.
  public func setPaused(_ isPaused: Bool, job: String) async throws -> Bool {
    struct Pause: Encodable {
      var job: String
      var isPaused: Bool
    }
    struct Answer: Decodable { var found: Bool }
    let answer: Answer = try await call("pause", Pause(job: job, isPaused: isPaused))
    return answer.found
  }

  // MARK: Queries

  /// Returns all jobs, sorted by name.
  public func jobs() async throws -> [ClusterJob] {
    struct Answer: Decodable { var jobs: [ClusterJob] }
    let answer: Answer = try await call("jobs", [String: String]())
    return answer.jobs
  }

  /// Returns the newest runs, newest first.
  public func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    struct Query: Encodable {
      var job: String?
      var limit: Int
    }
    struct Answer: Decodable { var runs: [ClusterRunRecord] }
    let answer: Answer = try await call("history", Query(job: job, limit: limit))
    return answer.runs
  }

  /// Deletes the records of old runs.
  public func removeHistory(before time: StoreTime) async throws -> Int {
    struct Answer: Decodable { var count: Int }
    let answer: Answer = try await call("remove_history", ["before": time])
    return answer.count
  }
}
