extension TimerScheduler {
  /// Ends every timer, for good.
  ///
  /// When this returns, timers deliver no more ticks, and the streams finish. Sleeps throw
  /// `CancellationError`. Running actions and time limits continue; ``shutdownAndWait(grace:)`` waits for the
  /// actions. A timer made after this call is finished from the start. A second shutdown does nothing.
  ///
  /// - Precondition: The scheduler isn't ``shared``.
  public nonisolated func shutdown() {
    requireOwn()
    driver.shutdown()
  }

  /// Ends every timer, for good, and waits for running actions to return.
  ///
  /// When this returns, everything that actions and rules have captured has been released, and the
  /// scheduler's observer has received every event. An action with a `timeout` is cancelled when its time is
  /// up. A cluster of this scheduler has left its store, for which this waits a lease at most.
  ///
  /// Inside a run of an action, this waits neither for that run nor for runs that wait for it, directly or
  /// through others. Until the run ends, the same holds for tasks it has created, except detached ones. A
  /// cluster leaves its store after the run of a job that waits here.
  ///
  /// - Parameter grace: The time after which runs that are still under way are cancelled, and awaited, or nil
  ///   for no limit. With a limit, a cancellation of the calling task ends this time at once.
  /// - Precondition: The scheduler isn't ``shared``.
  public nonisolated func shutdownAndWait(grace: Duration? = nil) async {
    shutdown()
    guard let grace else { return await driver.waitUntilShutDown() }
    // The limit cancels the wait, which goes on.
    try? await LimitedOperation(on: driver, limit: grace).run {
      await withTaskCancellationHandler {
        await driver.waitUntilShutDown()
      } onCancel: {
        driver.cancelRuns()
      }
    }
  }

  /// Runs until a signal comes, then shuts down and waits for running actions to return.
  ///
  /// The scheduler works until `shutdownSignal` returns; then this does what ``shutdownAndWait(grace:)``
  /// does. If the scheduler is shut down by other means, this cancels the signal and returns as well. If the
  /// calling task is cancelled, the scheduler is shut down at once and running actions are cancelled.
  ///
  /// With swift-service-lifecycle, one line makes a scheduler a service:
  ///
  /// ```swift no-compile
  /// extension TimerScheduler: @retroactive Service {
  ///   public func run() async throws { try await run(until: gracefulShutdown) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - shutdownSignal: Returns when the scheduler is to end. It is called in a child task.
  ///   - grace: The time after which running actions are cancelled, as in ``shutdownAndWait(grace:)``.
  /// - Throws: The signal's error, and `CancellationError` if the calling task is cancelled, after the
  ///   shutdown.
  /// - Precondition: The scheduler isn't ``shared``.
  public nonisolated func run(
    until shutdownSignal: @Sendable () async throws -> Void, grace: Duration? = nil
  ) async throws {
    requireOwn()
    let failure = await withTaskCancellationHandler {
      let failure = await awaitShutdown(or: shutdownSignal)
      await shutdownAndWait(grace: grace)
      return failure
    } onCancel: {
      driver.stop()
    }
    try Task.checkCancellation()
    if let failure { throw failure }
  }

  /// Waits until the scheduler is shut down, by the signal or otherwise. Returns the signal's error.
  private nonisolated func awaitShutdown(or signal: @Sendable () async throws -> Void) async -> (any Error)? {
    if driver.isShutDown { return nil }
    let failure = Lock<(any Error)?>(nil)
    async let _: Void = {
      do {
        try await signal()
      } catch {
        failure.withLock { $0 = error }
      }
      shutdown()
    }()
    await driver.waitForShutdown()
    // If the signal hasn't come, its task is cancelled on return.
    return failure.withLock { $0 }
  }
}

/// Runs `body` with a scheduler of its own, and shuts the scheduler down whether `body` returns or throws.
///
/// This returns after ``TimerScheduler/shutdownAndWait(grace:)``. If the calling task is cancelled, the
/// scheduler is shut down at once and running actions are cancelled.
///
/// ```swift
/// try await withTimerScheduler { scheduler in
///   scheduler.schedule(.every(.seconds(10))) { _ in await cache.refresh() }
///   try await server.run()
/// }
/// ```
///
/// - Parameters:
///   - configuration: The settings of the scheduler.
///   - body: The code that uses the scheduler.
/// - Returns: The result of `body`.
/// - Throws: The error `body` throws.
public nonisolated(nonsending) func withTimerScheduler<R, E: Error>(
  configuration: TimerScheduler.Configuration = .init(),
  _ body: nonisolated(nonsending) (TimerScheduler) async throws(E) -> R
) async throws(E) -> R {
  let scheduler = TimerScheduler(configuration: configuration)
  let result: Result<R, E> = await withTaskCancellationHandler {
    let result: Result<R, E>
    do throws(E) {
      result = .success(try await body(scheduler))
    } catch {
      result = .failure(error)
    }
    await scheduler.shutdownAndWait()
    return result
  } onCancel: {
    scheduler.driver.stop()
  }
  return try result.get()
}
