import TimerScheduling

/// Calls an operation until it succeeds, with delays that double and are shortened by chance.
///
/// After the last attempt it throws what the operation throws. A cancelled task tries no more.
func retry<Value: Sendable>(
  attempts: Int = 5, first: Duration = .seconds(1), longest: Duration = .seconds(30),
  jitter: @Sendable () -> Double = { .random(in: 0.5...1) },
  on scheduler: TimerScheduler, operation: @Sendable () async throws -> Value
) async throws -> Value {
  var delay = first
  for _ in 1..<attempts {
    do {
      return try await operation()
    } catch {
      try await scheduler.sleep(for: delay * jitter())
      delay = min(delay * 2, longest)
    }
  }
  return try await operation()
}
