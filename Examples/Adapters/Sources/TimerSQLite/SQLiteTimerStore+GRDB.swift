public import GRDB
public import TimerScheduling
public import TimerSchedulingCluster

extension SQLiteTimerStore {
  /// Creates a store in a database of GRDB.
  ///
  /// Processes that share the file should wait for each other's transactions:
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.busyMode = .timeout(5)
  /// let store = SQLiteTimerStore(try DatabasePool(path: "jobs.sqlite", configuration: configuration))
  /// ```
  ///
  /// With a timeout, SQLite looks at the lock again after up to 100 ms. If a process writes one transaction right after the
  /// other, use a callback that sleeps for a millisecond, so that the other processes find the lock free in between.
  ///
  /// The store sets `synchronous` of the writer's connection to `FULL`. With the `NORMAL` of a pool, a power cut may undo
  /// a claim that was committed, and its date would be begun twice.
  /// Lists of jobs and runs are read beside the writer's transactions in a `DatabasePool`, and after them in a
  /// `DatabaseQueue`. No other process waits for them.
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
}

extension TimerCluster {
  /// Puts a job within a transaction of GRDB.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: String = "", in db: Database
  ) throws {
    try put(
      name: name, handler: handler, schedule: schedule, payload: payload,
      in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts many jobs within a transaction of GRDB: all of them, or none.
  public func put(_ jobs: [NewJob], in db: Database) throws {
    try put(jobs, in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Puts a job that is run once, now or after a delay, within a transaction of GRDB. Returns its name.
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: String = "", in db: Database
  ) throws -> String {
    try put(
      name: name, handler: handler, after: delay, payload: payload,
      in: { sql, parameters in try db.rows(sql, parameters) })
  }

  /// Removes a job within a transaction of GRDB.
  public func remove(name: String, in db: Database) throws {
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
