import ServiceLifecycle

/// Runs an operation that has to end when the server is to stop.
///
/// At a graceful shutdown the operation is asked to end. If it doesn't within a grace it is cancelled, as
/// when it waits for a client that has stopped to read, for which the server would wait too.
package func withGracefulEnd(
  within grace: Duration,
  _ operation: @concurrent @escaping @Sendable () async throws -> Void,
  onShutdown end: @escaping @Sendable () -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await gracefulShutdown()
      end()
      try await Task.sleep(for: grace)
      throw CancellationError()
    }
    defer { group.cancelAll() }
    try await group.next()
  }
}
