import ArgumentParser
import Foundation
import TimerSchedulingCluster
import WrongClock

/// The database, which all commands take.
struct DatabaseOptions: ParsableArguments {
  @Option(help: "The file of SQLite that the replicas share.")
  var file = FileManager.default.temporaryDirectory.appending(path: "cluster.sqlite").path

  @Option(help: "A connection string or URL of libpq, for a PostgreSQL in place of the file.")
  var postgres: String?

  @Option(help: "A file with the microseconds by which the wall clock of this process is ahead, for tests.")
  var clock: String?

  func validate() throws {
    guard unsafe wrong_clock_follow(clock) else {
      throw ValidationError("There is no such file, or the system isn't Linux.")
    }
    #if !PostgreSQL
    guard postgres == nil else {
      throw ValidationError("For --postgres, build it with --traits PostgreSQL, which needs libpq-dev.")
    }
    #endif
  }

  /// Opens the database, and makes the tables that aren't there yet.
  ///
  /// - Parameter timeLimit: The longest time for a statement of a job.
  func open(timeLimit: Duration = .seconds(10)) async throws -> any JobDatabase {
    try await whenReachable {
      let database = try await connect(timeLimit: timeLimit)
      try await database.makeTables()
      return database
    }
  }

  private func connect(timeLimit: Duration) async throws -> any JobDatabase {
    #if PostgreSQL
    if let postgres { return PostgresJobDatabase(postgres, timeLimit: timeLimit) }
    #endif
    return try await SQLiteJobDatabase(path: file)
  }

  /// Opens the database, and a cluster that runs nothing.
  func openCluster() async throws -> (any JobDatabase, TimerCluster) {
    let database = try await open()
    return (database, TimerCluster(store: database.store))
  }
}
