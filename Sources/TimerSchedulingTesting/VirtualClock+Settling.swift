import TimerScheduling

extension VirtualClock {
  /// Waits until schedulers have done all they were posted, and nobody has anything left to do.
  ///
  /// What consumers have posted before they settled is done after it. If anything was noted meanwhile, there may be more,
  /// which is waited for unless the calling task is cancelled.
  func settle() async {
    var noted: UInt64?
    repeat {
      await waitUntilSettled()
      noted = core.state.withLock { $0.attendance.isSettled ? $0.attendance.noteCount : nil }
      core.finishPosted()
    } while !Task.isCancelled && core.settlingTimeout > .zero
      && core.state.withLock { $0.attendance.noteCount } != noted
  }

  private func waitUntilSettled() async {
    guard core.settlingTimeout > .zero, !core.state.withLock({ $0.attendance.isSettled }) else { return }
    await withCheckedContinuation { continuation in
      core.update {
        $0.settling = Expectation(
          subject: .settlement, continuation: continuation, patience: Expectation.patience)
      }
      core.watch()
    }
  }

  // MARK: Expectations

  /// Waits until so many streams and listeners are waiting for a tick, or the calling task is cancelled.
  ///
  /// ```swift
  /// let task = Task {
  ///   for await date in scheduler.ticks(every: 1) { print(date) }
  /// }
  /// await clock.waitForConsumers()
  /// await clock.advance(by: .seconds(3))
  /// ```
  /// ```text
  /// 2001-01-01 00:00:01 +0000
  /// 2001-01-01 00:00:02 +0000
  /// 2001-01-01 00:00:03 +0000
  /// ```
  ///
  /// - Parameter count: How many. Actions don't count, as they wait for nothing.
  public func waitForConsumers(_ count: Int = 1) async {
    await expect(.consumers(count))
  }

  /// Waits until so many tasks sleep on this clock, or the calling task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await expect(.sleepers(count))
  }

  private func expect(_ subject: Expectation.Subject) async {
    let number = core.state.withLock { $0.makeNumber() }
    let task = TaskIdentity.current
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = core.update { state in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled { return true }
          if let task { state.attendance.beginWait(of: task) }
          state.expectations[number] = Expectation(
            subject: subject, continuation: continuation, task: task, patience: Expectation.patience)
          return false
        }
        if isCancelled { continuation.resume() } else { core.watch() }
      }
    } onCancel: {
      let expectation = core.update { state in
        let expectation = state.expectations.removeValue(forKey: number)
        if let task = expectation?.task { state.attendance.endWait(of: task) }
        return expectation
      }
      expectation?.continuation.resume()
    }
  }
}
