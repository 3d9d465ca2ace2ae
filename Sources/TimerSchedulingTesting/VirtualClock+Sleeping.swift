public import TimerScheduling

extension VirtualClock: Clock {
  /// The monotonic clock's present instant: the time since the clock was made. Setting the wall clock doesn't change
  /// it.
  ///
  /// The `clock` of a scheduler on this clock shows the same instant.
  public var now: TimerClock.Instant {
    TimerClock.Instant(offset: (read().monotonic - VirtualTime.beginning).duration)
  }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock has reached `deadline`.
  ///
  /// During the sleep the clock doesn't wait for the sleeping consumer or action. After the sleep it waits also for a
  /// plain task, until that task waits for the clock again. If the task ends instead, the clock can't know, and waits
  /// for the settling timeout. Start the task with `addTask`, and the clock knows its end:
  ///
  /// ```swift
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// ```
  ///
  /// - Parameters:
  ///   - deadline: The instant to wake at. The sleep ends at once if it isn't later than now.
  ///   - tolerance: Has no effect.
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func sleep(until deadline: TimerClock.Instant, tolerance: Duration? = nil) async throws {
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
    _ number: UInt64, until deadline: TimerClock.Instant, _ continuation: CheckedContinuation<Void, Never>
  ) -> Bool {
    guard let task = TaskIdentity.current else { return false }
    let deadline = VirtualTime.beginning + Interval(deadline.offset)
    return core.update { state in
      // The cancellation handler runs after the task is marked as cancelled, and takes the same lock.
      guard !Task.isCancelled, deadline > state.time.now.monotonic else { return false }
      state.time.add(
        VirtualTime.Sleep(task: task, continuation: continuation), number: number, until: deadline)
      state.attendance.beginWait(of: task)
      return true
    }
  }

  /// Ends a sleep and resumes its task.
  func wake(_ sleep: VirtualTime.Sleep) {
    core.update { $0.attendance.endWait(of: sleep.task, slept: true) }
    sleep.continuation.resume()
  }

  /// The instants at which the present sleeps end, earliest first.
  public var pendingSleeps: [TimerClock.Instant] {
    core.state.withLock { $0.time.sleepDeadlines }.map {
      TimerClock.Instant(offset: ($0 - VirtualTime.beginning).duration)
    }
  }
}
