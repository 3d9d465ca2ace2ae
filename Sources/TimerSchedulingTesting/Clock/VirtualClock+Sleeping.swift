public import TimerScheduling

extension VirtualClock: Clock {
  /// The monotonic clock's present instant: the time since the clock was made. Setting the wall clock doesn't
  /// change it.
  ///
  /// The `clock` of a scheduler on this clock shows the same instant.
  public var now: TimerClock.Instant {
    TimerClock.Instant(offset: (read().monotonic - VirtualTime.beginning).duration)
  }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock has reached `deadline`.
  ///
  /// - Parameters:
  ///   - deadline: The instant to wake at. The sleep ends at once if it isn't later than now.
  ///   - tolerance: Has no effect.
  /// - Throws: `CancellationError` if the task is cancelled first, or the body of `withVirtualClock` ends
  ///   first. After the body's end, a sleep lasts in real time.
  public func sleep(until deadline: TimerClock.Instant, tolerance: Duration? = nil) async throws {
    let deadline = VirtualTime.beginning + Interval(deadline.offset)
    let left = deadline - core.read().monotonic
    var isOver = false
    if left > .zero {
      if core.state.withLock({ $0.hasEnded }) { return try await Task.sleep(for: left.duration) }
      isOver = await !sleep(until: deadline)
    }
    try Task.checkCancellation()
    if isOver { throw CancellationError() }
  }

  /// Returns false if the clock has ended before. Concurrent, so that the task is resumed where the clock
  /// sees it, and not by an executor that it doesn't know.
  @concurrent
  private func sleep(until deadline: Deadline) async -> Bool {
    let key = core.makeNumber()
    let isReached = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.waitBegins(for: .sleep(until: deadline))
        core.addSleep(key, until: deadline) { left in continuation.resume(returning: left == nil) }
        // The handler below may have run before.
        if Task.isCancelled { core.removeSleep(key)?(nil) }
      }
    } onCancel: {
      core.removeSleep(key)?(nil)
    }
    core.waitEnded()
    return isReached
  }

  /// The instants at which the present sleeps end, earliest first.
  public var pendingSleeps: [TimerClock.Instant] {
    core.state.withLock { $0.time.sleepDeadlines }.map {
      TimerClock.Instant(offset: ($0 - VirtualTime.beginning).duration)
    }
  }
}
