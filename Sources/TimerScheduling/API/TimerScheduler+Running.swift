extension TimerScheduler {
  /// Runs until a signal comes, then shuts down and waits for running actions to return.
  ///
  /// During this call the scheduler works as usual: timers are made, tick and end. When `shutdownSignal` returns,
  /// timers deliver no more ticks, the streams finish, and this returns once running actions have returned. If the
  /// scheduler is shut down by other means, this cancels the signal and returns as well. If the calling task is
  /// cancelled, the scheduler is shut down at once and running actions are cancelled.
  ///
  /// With swift-service-lifecycle, one line makes a scheduler a service:
  ///
  /// ```swift no-compile
  /// extension TimerScheduler: @retroactive Service {
  ///   public func run() async throws { try await run(until: gracefulShutdown) }
  /// }
  /// ```
  ///
  /// - Parameter shutdownSignal: A function that returns when the scheduler is to end. It is called in a child of the
  ///   calling task.
  /// - Throws: The signal's error, and `CancellationError` if the calling task is cancelled, after the shutdown.
  /// - Precondition: The scheduler isn't ``shared``.
  public nonisolated func run(until shutdownSignal: @Sendable () async throws -> Void) async throws {
    requireOwn()
    let failure = await withTaskCancellationHandler {
      let failure = await waitForShutdown(or: shutdownSignal)
      await shutdownAndWait()
      return failure
    } onCancel: {
      context.stop()
    }
    try Task.checkCancellation()
    if let failure { throw failure }
  }

  /// Waits until the scheduler is shut down, by the signal or otherwise. Returns the signal's error.
  private nonisolated func waitForShutdown(or signal: @Sendable () async throws -> Void) async -> (any Error)?
  {
    guard !context.isShutDown else { return nil }
    let failure = SignalFailure()
    async let _: Void = shutDown(on: signal, noting: failure)
    await context.waitForShutdown()
    // If the signal hasn't come, its task is cancelled on return.
    return failure.error.withLock { $0 }
  }

  private nonisolated func shutDown(
    on signal: @Sendable () async throws -> Void, noting failure: SignalFailure
  ) async {
    do {
      try await signal()
    } catch {
      failure.error.withLock { $0 = error }
    }
    shutdown()
  }
}

private final class SignalFailure: Sendable {
  /// Guards the signal's error.
  let error = Lock<(any Error)?>(nil)
}
