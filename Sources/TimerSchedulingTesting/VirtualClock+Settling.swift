import TimerScheduling

extension VirtualClock {
  /// Waits until schedulers have done all posted work, and no task has anything left to do.
  ///
  /// Work that consumers posted before they settled is done afterwards. If any event was noted meanwhile, more work
  /// may have come up, and this waits again unless the calling task is cancelled.
  func settle() async {
    var noted: UInt64?
    repeat {
      await waitUntilSettled()
      await giveUpCalled()
      let (isSettled, noteCount, isToBeVerified) = core.state.withLock {
        ($0.attendance.isSettled, $0.attendance.noteCount, $0.isToBeVerified)
      }
      noted = isSettled ? noteCount : nil
      if isSettled, isToBeVerified {
        await verifySettlement(of: .participants)
        core.state.withLock { $0.verifiedNoteCount = noteCount }
      }
      core.finishPosted()
    } while !Task.isCancelled && core.settlingTimeout > .zero
      && core.state.withLock { $0.attendance.noteCount } != noted
    core.reportFailures()
  }

  /// Stops waiting for streams that no task has asked for a first tick, while another task sleeps.
  ///
  /// The sleeping task may be the one that iterates such a stream later. Before this, all tasks that can run are run.
  private func giveUpCalled() async {
    let noteCount = core.state.withLock { $0.mayGiveUpCalled ? $0.attendance.noteCount : nil }
    guard core.settlingTimeout > .zero, let noteCount else { return }
    await verifySettlement(of: .all)
    core.state.withLock { state in
      if state.mayGiveUpCalled, state.attendance.noteCount == noteCount { state.attendance.giveUpCalled() }
    }
  }

  private func waitUntilSettled() async {
    guard core.settlingTimeout > .zero,
      !core.state.withLock({ $0.attendance.isSettled || $0.mayGiveUpCalled })
    else { return }
    await withCheckedContinuation { continuation in
      core.update {
        $0.settling = Expectation(.settlement) { continuation.resume() }
      }
      core.watch()
    }
  }

  /// Waits until enqueued jobs have run, before a participant counts as waiting for another task.
  ///
  /// The participant isn't done, and seems to wait for another task that waits for the clock. But it may be about to
  /// be run by an actor.
  private func verifySettlement(of subject: JobTracker.Subject) async {
    guard core.settlingTimeout > .zero else { return }
    let roundCount = await JobTracker.shared.waitForJobs(
      of: subject, on: core.schedulers.map(\.runnerExecutor), limit: min(core.settlingTimeout, .seconds(2)))
    core.state.withLock { $0.roundCount += roundCount }
  }

  /// The number of times the clock stopped waiting for a task and went on. Each took a settling timeout of real time.
  package var settlingTimeoutCount: Int { core.state.withLock { $0.settlingTimeoutCount } }

  // MARK: Expectations

  /// Waits until `count` streams and listeners are waiting for a tick, or the calling task is cancelled.
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
  ///   - count: The number of streams and listeners. Actions don't count, as they don't wait.
  ///   - limit: The longest time to wait, in real time. When it is over, the test fails and this returns.
  /// - Precondition: Neither is negative.
  public func waitForConsumers(_ count: Int = 1, limit: Duration = .seconds(60)) async {
    await expect(.consumers(count), count, limit: limit)
  }

  /// Waits until `count` tasks sleep on this clock or on a scheduler of this clock, or the calling task is cancelled.
  ///
  /// - Parameters:
  ///   - count: The number of sleeps. Loops, time limits and waits for the end of a timer don't count.
  ///   - limit: The longest time to wait, in real time. When it is over, the test fails and this returns.
  /// - Precondition: Neither is negative.
  public func waitForSleepers(_ count: Int = 1, limit: Duration = .seconds(60)) async {
    await expect(.sleepers(count), count, limit: limit)
  }

  private func expect(_ subject: Expectation.Subject, _ count: Int, limit: Duration) async {
    precondition(count >= 0, "A test waits for zero consumers or sleepers or more, but \(count) was given.")
    precondition(limit >= .zero, "A test waits for zero or more, but a limit of \(limit) was given.")
    let number = core.state.withLock { $0.makeNumber() }
    let task = TaskIdentity.current
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = core.update { state in
          // The handler below runs after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled { return true }
          if let task { state.attendance.beginWait(of: task) }
          state.expectations[number] = Expectation(
            subject, task: task, looksUntilEnd: Int(min(1e9, limit / core.lookInterval))
          ) { continuation.resume() }
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
      expectation?.resume()
    }
    core.reportFailures()
  }
}
