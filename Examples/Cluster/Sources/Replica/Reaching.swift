import PostgresClient
import TimerScheduling

/// Runs an operation again while the database can't be reached, as a replica may start before it.
func whenReachable(on scheduler: TimerScheduler, _ operation: () async throws -> Void) async throws {
  while true {
    do {
      return try await operation()
    } catch PostgresError.connection, is TimeoutError {
      try await scheduler.sleep(for: .milliseconds(200))
    }
  }
}
