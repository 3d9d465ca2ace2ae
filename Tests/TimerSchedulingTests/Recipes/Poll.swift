import TimerScheduling

/// Asks at once and then in each interval until the answer is yes.
///
/// It throws a `TimeoutError` once it takes longer than the limit, and what a question throws.
func poll(
  every interval: Duration, limit: Duration, on scheduler: TimerScheduler,
  isDone: @Sendable () async throws -> Bool
) async throws {
  try await withTimeout(limit, on: scheduler) {
    for await _ in scheduler.ticks(every: interval, starting: .immediately) {
      if try await isDone() { return }
    }
    // The loop has ended without a yes, since the task was cancelled or the scheduler was shut down.
    throw CancellationError()
  }
}
