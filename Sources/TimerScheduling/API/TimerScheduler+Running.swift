extension TimerScheduler {
  /// Works until a signal comes, then shuts down and waits for running actions to return.
  ///
  /// As long as this runs nothing is different: timers are made, tick and end as they always do. When
  /// `shutdownSignal` returns no tick leaves a timer any more, the streams finish, and this returns once running
  /// actions have. It also returns when the scheduler is shut down by other means, and cancels the signal then.
  /// If the calling task is cancelled, the scheduler is shut down at once and running actions are cancelled.
  ///
  /// With swift-service-lifecycle, a scheduler is a service by one line:
  ///
  /// ```swift no-compile
  /// extension TimerScheduler: @retroactive Service {
  ///   public func run() async throws { try await run(until: gracefulShutdown) }
  /// }
  /// ```
  ///
  /// - Parameter shutdownSignal: Waits for what ends the scheduler. It is called in a child of the calling task.
  /// - Throws: What the signal throws, and `CancellationError` if the calling task is cancelled, after the shutdown.
  /// - Precondition: The scheduler isn't ``shared``.
  public nonisolated func run(until shutdownSignal: @Sendable () async throws -> Void) async throws {
    let failure = await withTaskCancellationHandler {
      let failure = await waitForShutdown(or: shutdownSignal)
      await shutdownAndWait()
      return failure
    } onCancel: {
      driver.stop()
    }
    try Task.checkCancellation()
    if let failure { throw failure }
  }

  /// Waits until the scheduler is shut down, by the signal or otherwise. Returns what the signal has thrown.
  private nonisolated func waitForShutdown(or signal: @Sendable () async throws -> Void) async -> (any Error)?
  {
    guard !driver.isShutDown else { return nil }
    let failure = SignalFailure()
    async let _: Void = shutDown(on: signal, noting: failure)
    await driver.waitForShutdown()
    // A signal that hasn't come is cancelled on return.
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
  /// Guards what the signal has thrown.
  let error = Lock<(any Error)?>(nil)
}
