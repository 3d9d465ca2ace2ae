import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
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
/// with a store whose client may. The tables are in the schema `timers`.
public struct PostgresTimerStore: SQLTimerStore {
  private let execute: @Sendable (String, [String?]) async throws -> [[String?]]
  private let checked = Checked()

  /// Whether the schema was found to support this program.
  private final class Checked: Sendable {
    let flag = Mutex(false)
  }

  /// Creates a store.
  ///
  /// - Parameter execute: Runs one statement with its parameters, nil for NULL, and returns the rows with their columns
  ///   as text. It throws if the statement failed, or if its outcome isn't known. It runs outside of any other
  ///   transaction. Many tasks call it at once. It should give up when its task is cancelled.
  public init(
    execute: @escaping @Sendable (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]
  ) {
    self.execute = execute
  }

  // MARK: The schema

  /// Creates the schema, or brings it up to this version.
  ///
  /// - Throws: The error of `execute`, or ``ClusterError/schemaNewer(found:supported:)``.
  public func migrate() async throws {
    for migration in PostgresSchema.migrations { _ = try await execute(migration, []) }
    try await validate()
  }

  /// Checks that the schema exists and supports this program.
  ///
  /// Replicas make this check themselves before the first claim, and report a failure to the scheduler's observer.
  ///
  /// - Throws: ``ClusterError/schemaMissing``, ``ClusterError/schemaNewer(found:supported:)``, or the error of
  ///   `execute`.
  public func validate() async throws {
    try PostgresSchema.check(comment: try await execute(PostgresSchema.commentQuery, []).first?.first ?? nil)
    checked.flag.withLock { $0 = true }
  }

  // MARK: Requests

  private func rows(_ sql: String, _ parameters: [String?] = []) async throws -> [PostgresRow] {
    if !checked.flag.withLock(\.self) { try await validate() }
    return try await execute(sql, parameters).map { PostgresRow($0) }
  }

  private func row(_ sql: String, _ parameters: [String?] = []) async throws -> PostgresRow {
    guard let row = try await rows(sql, parameters).first else {
      throw UnexpectedAnswer("no row of \(sql)")
    }
    return row
  }

  /// Registers a job.
  public func register(job: String, fingerprint: String) async throws -> JobRegistration {
    var row = try await row(
      "SELECT last_us::text, since_us::text, now_us::text FROM timers.register_1($1::text, $2::text)",
      [job, fingerprint])
    return JobRegistration(cursor: try row.time(), knownSince: try row.time(), now: try row.time())
  }

  /// Claims a date of a job.
  public func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime) {
    var row = try await row(
      """
      SELECT verdict, date_us::text, run_token::text, run_attempt::text, run_missed::text, until_us::text, now_us::text \
      FROM timers.claim_1($1::text::uuid, $2::text, $3::text::bigint, $4::text::bigint, $5::text::bigint, \
      $6::text::bigint, $7::text, $8::text::bigint, $9::text::integer)
      """,
      [
        request.id.uuidString, request.job, "\(request.cursor.microseconds)", "\(request.date.microseconds)",
        request.following.map { "\($0.microseconds)" }, "\(request.missedCount)", request.replica,
        "\(request.lease.wholeMicroseconds)", "\(Int32(clamping: request.attempts))",
      ])
    let answer = try PostgresVerdict(&row)
    return (try answer.verdict(for: request.job), answer.now)
  }

  /// Renews the leases of runs.
  public func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (
    tokens: Set<Int64>, now: StoreTime
  ) {
    let list = "{\(tokens.sorted().map(String.init).joined(separator: ","))}"
    var row = try await row(
      "SELECT tokens, now_us::text FROM timers.renew_1($1::text::bigint[], $2::text::bigint)",
      [list, "\(lease.wholeMicroseconds)"])
    let held = try row.text()?.split(separator: ",").compactMap { Int64($0) } ?? []
    return (Set(held), try row.time())
  }

  /// Ends a run.
  public func finish(job: String, token: Int64, failure: String?) async throws -> Bool {
    var row = try await row(
      "SELECT timers.finish_1($1::text, $2::text::bigint, $3::text)::text",
      // Text in PostgreSQL can't contain a zero byte.
      [job, "\(token)", failure?.replacing("\0", with: "")])
    return try row.bool()
  }

  /// Returns the statement that ends a run within a transaction.
  public func finishStatement(job: String, token: Int64) -> (sql: String, parameters: [String?]) {
    ("SELECT timers.end_1($1::text, $2::text::bigint, NULL)", [job, "\(token)"])
  }

  /// Pauses a job for all replicas, or resumes it.
  public func setPaused(_ isPaused: Bool, job: String) async throws -> Bool {
    var row = try await row(
      "SELECT timers.pause_1($1::text, $2::text::boolean)::text", [job, isPaused ? "true" : "false"])
    return try row.bool()
  }

  // MARK: Queries

  /// Returns all jobs, sorted by name.
  public func jobs() async throws -> [ClusterJob] {
    try await rows(
      """
      SELECT name, timers.microseconds(last_date)::text, timers.microseconds(next_date)::text, is_paused::text, \
      done_count::text, failed_count::text, abandoned_count::text, missed_count::text, \
      token::text, replica, timers.microseconds(scheduled_date)::text, attempt::text, \
      timers.microseconds(began)::text, \
      (timers.microseconds(lease_end) - timers.microseconds(clock_timestamp()))::text \
      FROM timers.job ORDER BY name
      """
    ).map { row in
      var row = row
      return try ClusterJob(&row)
    }
  }

  /// Returns the newest runs, newest first.
  public func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    try await rows(
      """
      SELECT token::text, job, timers.microseconds(scheduled_date)::text, attempt::text, missed::text, replica, \
      timers.microseconds(began)::text, timers.microseconds(ended)::text, outcome, failure \
      FROM timers.run WHERE $1::text IS NULL OR job = $1::text ORDER BY run.token DESC LIMIT $2::text::bigint
      """,
      [job, "\(limit)"]
    ).map { row in
      var row = row
      return try ClusterRunRecord(&row)
    }
  }

  /// Deletes the records of old runs.
  public func removeHistory(before time: StoreTime) async throws -> Int {
    var row = try await row(
      """
      WITH gone AS (DELETE FROM timers.run WHERE began < timers.moment($1::text::bigint) AND outcome <> 'running' \
      RETURNING 1) SELECT count(*)::text FROM gone
      """,
      ["\(time.microseconds)"])
    return try row.count()
  }
}
