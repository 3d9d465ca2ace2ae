import Foundation
public import GRDB
public import TimerScheduling
public import TimerSchedulingCluster

extension SQLiteTimerStore {
  /// Opens a file, or makes it if there is none, and creates a store in it, for a program without tables of
  /// its own.
  ///
  /// It waits for other processes and throws as ``pool(at:_:)``.
  public init(path: String) async throws { self.init(try await Self.pool(at: path)) }

  /// Opens a file, or makes it if there is none, for the store and for the program's own transactions.
  ///
  /// ```swift
  /// let pool = try await SQLiteTimerStore.pool(at: "jobs.sqlite")
  /// let cluster = TimerCluster(store: SQLiteTimerStore(pool))
  /// ```
  ///
  /// Several processes may do so in the same moment. SQLite refuses all but one of them while a new file gets
  /// its journal mode, so the others try again, for ten seconds at most.
  ///
  /// A write waits for another process's transaction for about five seconds. It looks at the lock each
  /// millisecond: with a timeout, SQLite looks after up to 100 ms, and a process that writes one transaction
  /// right after the other keeps the rest out. The pool's `configuration` is as given but for its `busyMode`.
  ///
  /// - Throws: GRDB's `DatabaseError`, or `CancellationError`.
  @concurrent public static func pool(
    at path: String, _ configuration: Configuration = Configuration()
  ) async throws -> DatabasePool {
    var configuration = configuration
    configuration.busyMode = .callback { count in
      usleep(1_000)
      return count < 5_000
    }
    let end = ContinuousClock.now + .seconds(10)
    while true {
      do {
        return try DatabasePool(path: path, configuration: configuration)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
        try await TimerScheduler.shared.sleep(for: .milliseconds(10))
      }
    }
  }

  /// Creates a store in a database of GRDB.
  ///
  /// Its connections should wait for the transactions of other processes, as those of ``pool(at:_:)`` do.
  ///
  /// The store sets `synchronous` of the writer's connection to `FULL`. With the `NORMAL` of a pool, a power
  /// cut may undo a claim that was committed, and its date would be begun twice. Lists of jobs and runs are
  /// read beside the writer's transactions in a `DatabasePool`, and after them in a `DatabaseQueue`. No other
  /// process waits for them.
  public init(_ writer: some DatabaseWriter) {
    self.init { body in
      try await writer.read { db in
        try body { sql, parameters in try db.rows(sql, parameters) }
      }
    } transaction: { body in
      try await writer.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.inTransaction(.immediate) {
          try body { sql, parameters in try db.rows(sql, parameters) }
          return .commit
        }
      }
    }
  }
}

extension ClusterRun {
  /// Ends the run within a transaction of GRDB, so that the transaction's writes count exactly once.
  ///
  /// Make this call the last of the transaction. An error that it throws rolls everything back.
  ///
  /// ```swift
  /// try await pool.write { db in
  ///   try Bill(date: run.scheduledDate).insert(db)
  ///   try run.finish(in: db)
  /// }
  /// ```
  public func finish(in db: Database) throws {
    try finish(in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Does a part of the job within a transaction of GRDB, once for its date.
  ///
  /// ```swift
  /// try await pool.write { db in
  ///   try run.step("bill", in: db) { try Bill(date: run.scheduledDate).insert(db) }
  /// }
  /// ```
  ///
  /// Returns the result of the body, or that of an attempt before.
  public func step<Result: Codable & Sendable>(
    _ name: String, in db: Database, _ body: () throws -> Result
  ) throws -> Result {
    try step(name, in: { sql, parameters in try db.rows(sql, parameters) }, body)
  }

  /// Does a part of the job without a result within a transaction of GRDB, once for its date.
  public func step(_ name: String, in db: Database, _ body: () throws -> Void) throws {
    try step(name, in: { sql, parameters in try db.rows(sql, parameters) }, body)
  }
}

extension TimerCluster {
  /// Puts many jobs within a transaction of GRDB: all of them, or none.
  public func put(_ jobs: [NewJob], in db: Database) throws {
    try put(jobs, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job within a transaction of GRDB. Returns its name.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", in db: Database
  ) throws -> String {
    try put(
      name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
      payload: payload, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job of a kind within a transaction of GRDB. Returns its name.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in db: Database
  ) throws -> String {
    try put(
      name: name, handler: kind.handler, schedule: schedule, within: within, key: key, attempts: attempts,
      payload: payload, in: db)
  }

  /// Puts a job that is run once within a transaction of GRDB. Returns its name.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", in db: Database
  ) throws -> String {
    try put(
      name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
      payload: payload, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job of a kind that is run once within a transaction of GRDB. Returns its name.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in db: Database
  ) throws -> String {
    try put(
      name: name, handler: kind.handler, after: delay, within: within, key: key, attempts: attempts,
      payload: payload, in: db)
  }

  /// Puts a job within a transaction of GRDB, unless there is an earlier one. Returns its name, if it was
  /// put.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob,
    in db: Database
  ) throws -> String? {
    try put(
      name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
      payload: payload, unless: earlier, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job of a kind within a transaction of GRDB, unless there is an earlier one. Returns its name, if
  /// it was put.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in db: Database
  ) throws -> String? {
    try put(
      name: name, handler: kind.handler, schedule: schedule, within: within, key: key, attempts: attempts,
      payload: payload, unless: earlier, in: db)
  }

  /// Puts a job that is run once within a transaction of GRDB, unless there is an earlier one. Returns its
  /// name, if it was put.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob,
    in db: Database
  ) throws -> String? {
    try put(
      name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
      payload: payload, unless: earlier, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job of a kind that is run once within a transaction of GRDB, unless there is an earlier one.
  /// Returns its name, if it was put.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in db: Database
  ) throws -> String? {
    try put(
      name: name, handler: kind.handler, after: delay, within: within, key: key, attempts: attempts,
      payload: payload, unless: earlier, in: db)
  }

  /// Removes a job within a transaction of GRDB. Returns whether there was one.
  @discardableResult
  public func remove(name: String, in db: Database) throws -> Bool {
    try remove(name: name, in: { sql, parameters in try db.rows(sql, parameters) })
  }
}

extension Database {
  /// Runs one statement, and returns its rows with their columns as text.
  func rows(_ sql: String, _ parameters: [String?]) throws -> [[String?]] {
    let statement = try cachedStatement(sql: sql)
    return try Row.fetchAll(statement, arguments: StatementArguments(parameters)).map { row in
      row.databaseValues.map { String.fromDatabaseValue($0) ?? Int64.fromDatabaseValue($0).map(String.init) }
    }
  }
}
