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
      await excuseCalled()
      let (isSettled, noteCount, isToBeVerified) = core.state.withLock {
        ($0.attendance.isSettled, $0.attendance.noteCount, $0.attendance.isToBeVerified)
      }
      noted = isSettled ? noteCount : nil
      if isSettled, isToBeVerified { await verifySettlement() }
      core.finishPosted()
    } while !Task.isCancelled && core.settlingTimeout > .zero
      && core.state.withLock { $0.attendance.noteCount } != noted
    core.reportFailures()
  }

  /// A task that sleeps may be the one that iterates a stream later. So a stream that no task asks for its first tick isn't
  /// waited for beside one, once all tasks that can run have been run.
  private func excuseCalled() async {
    let noteCount = core.state.withLock { $0.mayExcuseCalled ? $0.attendance.noteCount : nil }
    guard core.settlingTimeout > .zero, let noteCount else { return }
    await verifySettlement()
    core.state.withLock { state in
      if state.mayExcuseCalled, state.attendance.noteCount == noteCount { state.attendance.excuseCalled() }
    }
  }

  private func waitUntilSettled() async {
    guard core.settlingTimeout > .zero,
      !core.state.withLock({ $0.attendance.isSettled || $0.mayExcuseCalled })
    else { return }
    await withCheckedContinuation { continuation in
      core.update {
        $0.settling = Expectation(.settlement, continuation: continuation)
      }
      core.watch()
    }
  }

  /// A participant isn't done, and seems to wait for another task that waits for the clock. But it may be about to be run by
  /// an actor.
  private func verifySettlement() async {
    guard core.settlingTimeout > .zero else { return }
    await JobTracker.shared.waitForJobs(
      on: core.drivers.map(\.runnerExecutor), limit: min(core.settlingTimeout, .seconds(2)))
  }

  /// How often the clock has gone on without waiting for a task any longer. Each time has taken a settling timeout of real
  /// time.
  public var settlingTimeoutCount: Int { core.state.withLock { $0.settlingTimeoutCount } }

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
  /// - Parameters:
  ///   - count: How many. Actions don't count, as they wait for nothing.
  ///   - limit: How long to wait in real time, at most. The test fails then, and this returns.
  public func waitForConsumers(_ count: Int = 1, limit: Duration = .seconds(60)) async {
    await expect(.consumers(count), limit: limit)
  }

  /// Waits until so many tasks sleep on this clock, or the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - limit: How long to wait in real time, at most. The test fails then, and this returns.
  public func waitForSleepers(_ count: Int = 1, limit: Duration = .seconds(60)) async {
    await expect(.sleepers(count), limit: limit)
  }

  private func expect(_ subject: Expectation.Subject, limit: Duration) async {
    let number = core.state.withLock { $0.makeNumber() }
    let task = TaskIdentity.current
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = core.update { state in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled { return true }
          if let task { state.attendance.beginWait(of: task) }
          state.expectations[number] = Expectation(
            subject, continuation: continuation, task: task,
            looksUntilEnd: Int(limit / core.lookInterval))
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
    core.reportFailures()
  }
}
