/// Runs an operation for a limited time.
///
/// The operation runs in a child task, on the isolation of the caller. When the limit is reached it is cancelled, and once
/// it has returned this throws a ``TimeoutError``, whatever the operation then returns or throws. If it ends before the
/// limit, what it returns or throws is passed on. So it is if it ends at the limit, before it was cancelled. If the calling
/// task is cancelled, so is the operation, and what comes of it is passed on.
///
/// ```swift
/// do {
///   try await withTimeout(.seconds(5), on: scheduler) {
///     try await scheduler.sleep(for: .seconds(60))
///   }
/// } catch {
///   print(error)  // The operation took longer than 5.0 seconds.
/// }
/// ```
///
/// The limit is a timer of the scheduler, and takes no task. If the scheduler shuts down meanwhile, there is no limit any more.
///
/// - Parameters:
///   - limit: How long the operation may take. One that isn't greater than zero is reached at once.
///   - scheduler: The scheduler by whose time the limit is.
///   - operation: What to run. It may use values that aren't `Sendable`, as the caller waits for it.
/// - Returns: What the operation has returned.
/// - Throws: What the operation has thrown, or a ``TimeoutError``.
/// - Complexity: O(1).
public nonisolated(nonsending) func withTimeout<R>(
  _ limit: Duration, on scheduler: TimerScheduler = .shared,
  _ operation: nonisolated(nonsending) () async throws -> R
) async throws -> R {
  try await LimitedOperation(on: scheduler.driver, limit: limit).run(operation)
}
