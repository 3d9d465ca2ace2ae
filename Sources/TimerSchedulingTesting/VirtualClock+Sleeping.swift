import TimerScheduling

extension VirtualClock: Clock {
  /// A moment of the monotonic clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let offset: Duration

    /// The moment so long after the clock was made.
    public init(offset: Duration) { self.offset = offset }

    /// The moment a duration later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from this moment to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the first moment comes before the second.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// What the monotonic clock shows, which setting the wall clock doesn't change.
  public var now: Instant { Instant(offset: (read().monotonic - VirtualTime.beginning).duration) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock has been moved to a moment.
  ///
  /// Meanwhile the clock waits for neither a consumer nor an action that sleeps. After the sleep it waits for a plain task,
  /// too, until that waits for the clock again. If the task ends instead, the clock can't know, and waits for the settling
  /// timeout. Start the task by `addTask`, and its end is known:
  ///
  /// ```swift
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// ```
  ///
  /// - Parameters:
  ///   - deadline: When to go on, which is at once if it isn't later than now.
  ///   - tolerance: Has no effect.
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = core.state.withLock { $0.makeNumber() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if !fallAsleep(number, until: deadline, continuation) { continuation.resume() }
      }
    } onCancel: {
      let sleep = core.update { state in
        let sleep = state.time.removeSleep(number)
        if let sleep { state.attendance.endWait(of: sleep.task) }
        return sleep
      }
      sleep?.continuation.resume()
    }
    try Task.checkCancellation()
  }

  private func fallAsleep(
    _ number: UInt64, until deadline: Instant, _ continuation: CheckedContinuation<Void, Never>
  ) -> Bool {
    guard let task = TaskIdentity.current else { return false }
    let deadline = VirtualTime.beginning + Interval(deadline.offset)
    return core.update { state in
      // The cancellation handler comes after the task is marked as cancelled, and takes the same lock.
      guard !Task.isCancelled, deadline > state.time.now.monotonic else { return false }
      state.time.add(
        VirtualTime.Sleep(task: task, continuation: continuation), number: number, until: deadline)
      state.attendance.beginWait(of: task)
      return true
    }
  }

  /// A sleep is over.
  func wake(_ sleep: VirtualTime.Sleep) {
    core.update { $0.attendance.endWait(of: sleep.task, slept: true) }
    sleep.continuation.resume()
  }

  /// When the sleeps end that are under way, the first first.
  public var pendingSleeps: [Instant] {
    core.state.withLock { $0.time.sleepDeadlines }.map {
      Instant(offset: ($0 - VirtualTime.beginning).duration)
    }
  }
}
