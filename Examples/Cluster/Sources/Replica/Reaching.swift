import PostgresClient
import TimerScheduling

/// Runs an operation again while the database can't be reached.
///
/// It waits on the shared scheduler, as a replica's own is shut down while its last runs go on.
func whenReachable(_ operation: () async throws -> Void) async throws {
  while true {
    do {
      return try await operation()
    } catch PostgresError.connection, is TimeoutError {
      try await TimerScheduler.shared.sleep(for: .milliseconds(200))
    }
  }
}
