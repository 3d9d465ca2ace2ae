/// Runs an operation, and runs it again after an error.
///
/// Between two attempts this function waits as long as the backoff says, by the clock of a scheduler. It
/// throws the error of the last attempt, or an earlier one that isn't worth a retry. A `CancellationError` is
/// never retried. A cancellation of the task or a shutdown during a wait throws one at once.
///
/// ```swift
/// let page = try await withRetries(5, backoff: .exponential(from: .seconds(1), upTo: .seconds(30))) {
///   try await withTimeout(.seconds(10)) { try await fetch() }
/// }
/// ```
///
/// - Parameters:
///   - attempts: The number of attempts, including the first.
///   - backoff: The wait after each attempt that has failed.
///   - scheduler: The scheduler whose clock measures the waits.
///   - isWorthRetrying: Returns false for an error after which another attempt is of no use.
///   - body: The operation. It runs on the isolation of the caller, and may use values that aren't
///     `Sendable`.
/// - Returns: The result of the first attempt that succeeds.
/// - Throws: The operation's error, or a `CancellationError`.
/// - Precondition: `attempts` is greater than zero.
public nonisolated(nonsending) func withRetries<R>(
  _ attempts: Int, backoff: Backoff = .exponential(from: .seconds(1), upTo: .seconds(60)),
  on scheduler: TimerScheduler = .shared, if isWorthRetrying: (any Error) -> Bool = { _ in true },
  _ body: nonisolated(nonsending) () async throws -> R
) async throws -> R {
  precondition(attempts > 0, "The attempts must be one or more, but \(attempts) was given.")
  for attempt in 1..<attempts {
    do {
      return try await body()
    } catch {
      if error is CancellationError || !isWorthRetrying(error) { throw error }
      try await scheduler.sleep(for: scheduler.wait(after: attempt, backoff), tolerance: .zero)
    }
  }
  return try await body()
}
