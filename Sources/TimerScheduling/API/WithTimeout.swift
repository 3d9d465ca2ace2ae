import Synchronization

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
/// The limit is a timer of the scheduler, and takes no task. A scheduler that shuts down meanwhile cancels the operation.
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
  let limited = LimitedOperation<R>(on: scheduler.driver, limit: limit)
  let isInTime = await limited.race(operation, isolation: #isolation)
  return try limited.result(isInTime: isInTime)
}

/// An operation that runs against a timer.
private final class LimitedOperation<R>: Sendable {
  private let limit: Duration
  private let monitor: (any ConsumerMonitor)?
  /// Listens to a timer of one tick, which the end of the operation ends.
  private let timer: TickListener
  private let hasEnded = Atomic<Bool>(false)
  /// Set by the child task, and read once it has ended.
  nonisolated(unsafe) private var outcome: Result<R, any Error>?

  init(on driver: TimerDriver, limit: Duration) {
    self.limit = limit
    monitor = driver.monitor
    timer = driver.makeTimer(
      on: TimerSchedule(cadence: .once(after: max(Interval(limit), .zero))), name: nil, lifetime: .stream,
      hold: TickListener.init)
  }

  /// Runs the operation, and returns once it has ended. Returns false if the limit was reached before.
  func race(
    _ operation: nonisolated(nonsending) () async throws -> R, isolation: isolated (any Actor)?
  ) async -> Bool {
    let number = monitor?.taskEntered()
    // The caller is suspended while the child task uses it.
    nonisolated(unsafe) let operation = operation
    // Cancelled on return, and waited for.
    async let _: Void = unsafe run(operation, as: number, isolation: isolation)
    return await waitForEnd()
  }

  private func run(
    _ operation: nonisolated(nonsending) () async throws -> R, as number: UInt64?,
    isolation: isolated (any Actor)?
  ) async {
    if let number { monitor?.taskBegan(number) }
    do {
      unsafe outcome = .success(try await operation())
    } catch {
      unsafe outcome = .failure(error)
    }
    hasEnded.store(true, ordering: .releasing)
    timer.entry.finish(.cancelled)
    if let number { monitor?.taskEnded(number) }
  }

  /// Waits until the operation has ended, the limit is reached or the task is cancelled. Returns false if the limit was
  /// reached while the operation hadn't ended.
  private func waitForEnd() async -> Bool {
    let tick = await withTaskCancellationHandler {
      await timer.next()
    } onCancel: {
      timer.cancel()
    }
    guard tick != nil else { return true }
    // Under virtual time, the operation may be about to end at this moment.
    if !hasEnded.load(ordering: .acquiring) { await monitor?.waitForEndOfMoment() }
    return hasEnded.load(ordering: .acquiring)
  }

  func result(isInTime: Bool) throws -> R {
    guard isInTime, let outcome = unsafe outcome else { throw TimeoutError(limit: limit) }
    return try outcome.get()
  }
}
