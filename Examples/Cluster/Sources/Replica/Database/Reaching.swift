import GRDB
import TimerScheduling

#if PostgreSQL
import PostgresClient
#endif

/// Runs an operation again while the database can't be reached, or refuses it for the time being.
///
/// It waits on the shared scheduler, as a replica's own is shut down while its last runs go on.
func whenReachable<R>(_ operation: () async throws -> R) async throws -> R {
  while true {
    do {
      return try await operation()
    } catch let error where isPassing(error) {
      try await TimerScheduler.shared.sleep(for: .milliseconds(200))
    }
  }
}

/// Whether an error says nothing about the operation: another process keeps the file locked, the disk is full
/// or fails, the connection failed, the transaction conflicted with another under a strict isolation (40001,
/// 40P01), or a right is missing for a while (42501), as the harness has it.
private func isPassing(_ error: any Error) -> Bool {
  #if PostgreSQL
  switch error {
  case PostgresError.connection, is TimeoutError: return true
  case PostgresError.server(let state, _): return ["40001", "40P01", "42501"].contains(state)
  default: break
  }
  #endif
  guard let code = (error as? DatabaseError)?.resultCode else { return false }
  return [.SQLITE_BUSY, .SQLITE_FULL, .SQLITE_IOERR].contains(code)
}
