import TimerScheduling

/// A store in a PostgreSQL database, reached through the program's own client.
///
/// The store sends single statements and keeps nothing in a session, so any pool and any pooler works. Give it
/// connections of its own, so that the program's long transactions don't delay the renewal of leases. It needs
/// PostgreSQL 14 or later. Parameters and rows are text, and the statements cast them. Here `database` is a client:
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
/// with a store whose client may. Then grant the program's role `USAGE` on the schema, `SELECT, INSERT, UPDATE, DELETE`
/// on its tables and `USAGE` on its sequence.
public struct PostgresTimerStore: TimerStore {
  private let execute: @Sendable (String, [String?]) async throws -> [[String?]]
  private let schema: String
  private let checked = Checked()

  /// Whether the schema was found to support this program.
  private final class Checked: Sendable {
    /// Guards whether that was found.
    let flag = Lock(false)
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
  /// - Throws: The error of `execute`, or ``ClusterError/schemaNewer(schema:found:supported:)``.
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
  /// - Throws: ``ClusterError/schemaMissing(schema:)``, ``ClusterError/schemaNewer(schema:found:supported:)``, or the error of
  ///   `execute`.
  public func validate() async throws {
    let rows = try await execute(PostgresSchema.commentQuery(schema: schema), [])
    try PostgresSchema.check(comment: rows.first?.first ?? nil, schema: schema)
    checked.flag.withLock { $0 = true }
  }

  // MARK: Requests

  /// Calls the function of the schema that performs a request.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    if !checked.flag.withLock(\.self) { try await validate() }
    let (sql, parameters) = try call(of: request)
    let rows = try await execute(sql, parameters)
    guard let text = rows.first?.first ?? nil else { throw UnexpectedAnswer("no row of \(request)") }
    return try request.answer(json: text)
  }

  /// Returns the statement that performs a request within a transaction of the program's.
  public func statement(for request: StoreRequest) throws -> (sql: String, parameters: [String?])? {
    try call(of: request)
  }

  private func call(of request: StoreRequest) throws -> (sql: String, parameters: [String?]) {
    let sql = "SELECT timers.\(request.name)_2($1::text::jsonb)::text"
    return (PostgresSchema.named(schema, sql), [Self.withoutZeros(try request.json)])
  }

  /// Leaves out the zero bytes of texts, which PostgreSQL can't hold.
  private static func withoutZeros(_ json: String) -> String {
    guard json.contains("\\u0000") else { return json }
    var (text, rest) = ("", json[...])
    while let backslash = rest.firstIndex(of: "\\") {
      text += rest[..<backslash]
      rest = rest[backslash...]
      // An escape, which may be that of a backslash.
      let escape = rest.prefix(rest.hasPrefix("\\u") ? 6 : 2)
      if escape != "\\u0000" { text += escape }
      rest = rest.dropFirst(escape.count)
    }
    return text + rest
  }
}
