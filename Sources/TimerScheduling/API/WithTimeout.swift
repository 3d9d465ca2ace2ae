public import TimerSchedulingFoundation

/// Runs an operation for a limited time.
///
/// The operation runs in a child task, on the isolation of the caller. When the limit is reached, the
/// operation is cancelled, and once it has returned this throws a ``TimeoutError``, whatever the operation
/// returned or threw. If it ends before, or the calling task is cancelled, its result or error is passed on.
/// The limit takes no task and isn't a timer: calls like ``TimerScheduler/cancelAll()`` don't affect it. It
/// applies until the operation has returned, even if the scheduler has shut down.
///
/// ```swift
/// do {
///   try await withTimeout(.seconds(5), on: scheduler) { try await scheduler.sleep(for: .seconds(60)) }
/// } catch {
///   print(error)  // The operation took longer than 5.0 seconds.
/// }
/// ```
///
/// - Parameters:
///   - limit: The longest time the operation may take. Zero or less is reached at once.
///   - scheduler: The scheduler whose clock measures the limit.
///   - operation: The operation to run. It may use values that aren't `Sendable`, as the caller waits for it.
/// - Returns: The operation's result.
/// - Throws: The operation's error, or a ``TimeoutError``.
/// - Complexity: O(1).
public nonisolated(nonsending) func withTimeout<R>(
  _ limit: Duration, on scheduler: TimerScheduler = .shared,
  _ operation: nonisolated(nonsending) () async throws -> R
) async throws -> R {
  try await LimitedOperation(on: scheduler.driver, limit: limit).run(operation)
}

/// Runs an operation for a limited number of seconds.
///
/// - Precondition: `seconds` is finite. The rest is as for ``withTimeout(_:on:_:)-(Duration,_,_)``.
@_disfavoredOverload
public nonisolated(nonsending) func withTimeout<R>(
  _ seconds: TimeInterval, on scheduler: TimerScheduler = .shared,
  _ operation: nonisolated(nonsending) () async throws -> R
) async throws -> R {
  try await withTimeout(.orStop(seconds: seconds), on: scheduler, operation)
}
