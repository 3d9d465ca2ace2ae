public import GRDB
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
  public init(_ writer: some DatabaseWriter) {
    self.init { body in
      try await writer.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try body { sql, parameters in try db.rows(sql, parameters) }
          return .commit
        }
      }
    }
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
