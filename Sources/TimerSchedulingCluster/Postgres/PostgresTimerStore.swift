import TimerScheduling
import TimerSchedulingFoundation

/// A store in a PostgreSQL database, reached through the program's own client.
///
/// The store sends single statements and keeps nothing in a session, so any pool and any pooler works. Give
/// it connections of its own, so that the program's long transactions don't delay the renewal of leases. It
/// needs PostgreSQL 14 or later. Parameters and rows are text, and the statements cast them. Here `database`
/// is a client:
///
/// ```swift
/// let store = PostgresTimerStore { sql, parameters in
///   try await database.rows(sql, parameters)
/// }
/// try await store.migrate()
/// let cluster = TimerCluster(store: store, lease: .seconds(15))
/// ```
///
/// With a connection that listens, an idle replica begins a job within 50 ms of its put by another process:
///
/// ```swift
/// let store = PostgresTimerStore { sql, parameters in
///   try await database.rows(sql, parameters)
/// } listen: { channel, notified in
///   // With PostgresNIO: for try await _ in try await connection.listen(channel) { notified() }
///   try await database.listen(to: channel, notified)
/// }
/// ```
///
/// Several replicas may migrate at the same time. If the program's own client may not create schemas, migrate
/// once with a store whose client may. Then grant the program's role `USAGE` on the schema,
/// `SELECT, INSERT, UPDATE, DELETE` on its tables and `USAGE` on its sequence.
public struct PostgresTimerStore: TimerStore {
  private let execute: @Sendable (String, [String?]) async throws -> [[String?]]
  private let listen: Listen?
  private let schema: String
  private let checked = Checked()

  /// Calls a closure for each notification of a channel.
  public typealias Listen =
    @Sendable (_ channel: String, _ notified: @escaping @Sendable () -> Void) async throws -> Void

  /// Guards whether the schema was found to support this program.
  private final class Checked: Sendable { let flag = Lock(false) }

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - schema: The name of the schema with the store's tables. Services with schemas of their own share no
  ///     jobs.
  ///   - execute: Runs one statement with its parameters, nil for NULL, and returns the rows with their
  ///     columns as text. It throws if the statement failed, or if its outcome isn't known. It runs outside
  ///     of any other transaction. Many tasks call it at once. It should give up when its task is cancelled:
  ///     a statement that hangs isn't awaited, but keeps its connection.
  ///   - listen: Runs `LISTEN` for a channel and calls a closure for each notification. It uses a connection
  ///     of its own that goes through no pooler, throws if that fails, and gives up when its task is
  ///     cancelled. The channel has the schema's name, in quotes. Without `listen` a store sends no
  ///     notifications either, so programs that only put jobs need it as well. A put within a transaction
  ///     notifies at the commit, and such commits wait for each other.
  /// - Precondition: `schema` has 1 to 63 bytes, and no dollar sign, apostrophe, period or zero byte.
  public init(
    schema: String = "timers",
    execute: @escaping @Sendable (_ sql: String, _ parameters: [String?]) async throws -> [[String?]],
    listen: Listen? = nil
  ) {
    // In the SQL the name is within literals, too, and mustn't contain what is replaced.
    precondition(
      1...63 ~= schema.utf8.count && !schema.contains { "$'.\0".contains($0) },
      """
      The name of a schema has 1 to 63 bytes, and no dollar sign, apostrophe, period or zero byte, but \
      \(String(reflecting: schema)) was given.
      """)
    (self.schema, self.execute, self.listen) = (schema, execute, listen)
  }

  // MARK: The schema

  /// Creates the schema. A schema of an older version isn't changed.
  ///
  /// - Throws: The error of `execute`, ``ClusterError/schemaOlder(schema:found:supported:)`` or
  ///   ``ClusterError/schemaNewer(schema:found:supported:)``.
  public func migrate() async throws {
    do {
      _ = try await execute(PostgresSchema.named(schema, PostgresSchema.versionThree), [])
    } catch {
      // Another program may have made the schema meanwhile, which a strict isolation doesn't let this one
      // see.
      do { try await validate() } catch is ClusterError { throw error }
    }
    try await validate()
  }

  /// Checks that the schema exists and supports this program.
  ///
  /// Replicas make this check themselves before the first claim, and report a failure to the scheduler's
  /// observer.
  ///
  /// - Throws: ``ClusterError/schemaMissing(schema:)``,
  ///   ``ClusterError/schemaOlder(schema:found:supported:)``,
  ///   ``ClusterError/schemaNewer(schema:found:supported:)``, or the error of `execute`.
  public func validate() async throws {
    let rows = try await execute(PostgresSchema.named(schema, PostgresSchema.comment), [])
    // "TimerScheduling 3, for programs since 3"
    let (comment, version) = ((rows.first?.first ?? nil) ?? "", PostgresSchema.version)
    let numbers = comment.split { !$0.isNumber }.compactMap { Int($0) }
    guard comment.hasPrefix("TimerScheduling "), numbers.count == 2 else {
      throw ClusterError.schemaMissing(schema: schema)
    }
    if numbers[0] < version {
      throw ClusterError.schemaOlder(schema: schema, found: numbers[0], supported: version)
    }
    if numbers[1] > version {
      throw ClusterError.schemaNewer(schema: schema, found: numbers[1], supported: version)
    }
    checked.flag.withLock { $0 = true }
  }

  // MARK: Requests

  /// Calls the function of the schema that performs a request, and then notifies replicas if jobs may be due.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    if !checked.flag.withLock(\.self) { try await validate() }
    let (sql, parameters) = try call(of: request)
    let rows = try await execute(sql, parameters)
    guard let text = rows.first?.first ?? nil else { throw UnexpectedAnswer("no row of \(request)") }
    let answer = try request.answer(json: text)
    if notifies(of: request) {
      // In a transaction of its own, which needn't reach the disk: those with notifications are committed one
      // by one. In a task of its own, as the request is done although the notification may take long.
      Task { [execute, schema] in _ = try? await execute("SELECT pg_notify($1, '')", [schema]) }
    }
    return answer
  }

  /// Returns the statement that performs a request within a transaction of the program's, whose commit
  /// notifies replicas.
  public func statement(for request: StoreRequest) throws -> (sql: String, parameters: [String?])? {
    let (sql, parameters) = try call(of: request)
    return (notifies(of: request) ? "\(sql) FROM pg_notify('\(schema)', '')" : sql, parameters)
  }

  private func call(of request: StoreRequest) throws -> (sql: String, parameters: [String?]) {
    let sql = "SELECT timers.\(request.name)_2($1::text::jsonb)::text"
    return (PostgresSchema.named(schema, sql), [Self.withoutZeros(try request.json)])
  }

  // MARK: Notifications

  /// Calls a closure for each notification, on the connection that listens. Without one, it returns at once.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws {
    guard let listen else { return }
    try await listen(schema, changed)
    throw UnexpectedAnswer("the end of the notifications")
  }

  /// Whether a request may make jobs due before the next look of an idle replica, which comes within a
  /// second.
  private func notifies(of request: StoreRequest) -> Bool {
    guard listen != nil else { return false }
    switch request.call {
    case let call as PutRequest:
      // The store's clock may differ from this one.
      let soon = StoreTime(Date() + 60)
      return call.jobs.contains { job in job.date.map { $0 < soon } ?? ((job.delay ?? 0) < 1_000_000) }
    case let call as PauseRequest: return !call.isPaused
    case is AskRequest, is RetryRequest: return true
    default: return false
    }
  }

  /// Leaves out the zero bytes of texts, which PostgreSQL can't hold.
  private static func withoutZeros(_ json: String) -> String {
    guard json.contains("\\u0000") else { return json }
    // The backslash before it may be that of an escaped one.
    return json.replacing(/(\\\\)|\\u0000/.matchingSemantics(.unicodeScalar)) { $0.output.1 ?? "" }
  }
}
