import TimerScheduling

extension VirtualClock {
  /// Makes a change, and then resumes those who have waited for what it has brought about.
  func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, fulfilled) = state.withLock { state -> (Result, [Expectation]) in
      let result = change(&state)
      return (result, state.takeFulfilled())
    }
    for expectation in fulfilled { expectation.continuation.resume() }
    return result
  }

  /// Waits until schedulers have done all they were posted, and nobody has anything left to do.
  ///
  /// What consumers have posted before they settled is done after it. If anything was noted meanwhile, there may be more.
  func settle() async {
    var noted: UInt64?
    repeat {
      await waitUntilSettled()
      noted = state.withLock { $0.attendance.isSettled ? $0.attendance.noteCount : nil }
      finishPosted()
    } while settlingTimeout > .zero && state.withLock { $0.attendance.noteCount } != noted
  }

  private func waitUntilSettled() async {
    guard settlingTimeout > .zero, !state.withLock(\.attendance.isSettled) else { return }
    await withCheckedContinuation { continuation in
      update {
        $0.settling = Expectation(
          subject: .settlement, continuation: continuation, patience: Expectation.patience)
      }
      watch()
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
    let number = state.withLock { $0.makeNumber() }
    let task = TaskIdentity.current
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = update { state in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled { return true }
          if let task { state.attendance.beginWait(of: task) }
          state.expectations[number] = Expectation(
            subject: subject, continuation: continuation, task: task, patience: Expectation.patience)
          return false
        }
        if isCancelled { continuation.resume() } else { watch() }
      }
    } onCancel: {
      let expectation = update { state in
        let expectation = state.expectations.removeValue(forKey: number)
        if let task = expectation?.task { state.attendance.endWait(of: task) }
        return expectation
      }
      expectation?.continuation.resume()
    }
  }

  // MARK: Patience

  /// Has a task look, time and again, whether somebody waits for too long.
  ///
  /// It looks ten times in a settling timeout instead of once at its end: should tasks find no thread for a
  /// while, as beside tests that block, it finds none either, and only one look is lost. There is one such task
  /// for a clock, which ends when nobody waits, as most waits last for microseconds.
  private func watch() {
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    // Without a timeout nobody is waited for, but a test may wait for too many.
    let timeout = settlingTimeout > .zero ? settlingTimeout : .seconds(1)
    Task.detached { [weak self, interval = timeout / 10] in
      repeat { try? await Task.sleep(for: interval) } while self?.losePatience() == true
    }
  }

  /// Gives up on what has taken too long. Returns whether anybody still waits.
  private func losePatience() -> Bool {
    let (lines, isNeeded) = update { state in
      let lines = state.losePatience(after: settlingTimeout)
      let waiting = [state.settling].compactMap(\.self) + state.expectations.values
      state.isWatched = waiting.contains { $0.patience != nil }
      return (lines, state.isWatched)
    }
    for line in lines { report(line) }
    return isNeeded
  }
}

extension VirtualClock.State {
  fileprivate mutating func takeFulfilled() -> [Expectation] {
    var fulfilled: [Expectation] = []
    for (number, expectation) in expectations where isFulfilled(expectation) {
      fulfilled.append(expectation)
      expectations[number] = nil
      if let task = expectation.task { attendance.endWait(of: task) }
    }
    // Comes last, as those who were resumed have something to do.
    if let settling, isFulfilled(settling) {
      fulfilled.append(settling)
      self.settling = nil
    }
    return fulfilled
  }

  private func isFulfilled(_ expectation: Expectation) -> Bool {
    switch expectation.subject {
    case .settlement: attendance.isSettled
    case .consumers(let count): attendance.waitingCount >= count
    case .sleepers(let count): time.sleeperCount >= count
    }
  }

  /// Excuses those who are busy for too long, and returns what there is to say of it.
  fileprivate mutating func losePatience(after timeout: Duration) -> [String] {
    var lines: [String] = []
    if settling?.losePatience(noted: attendance.noteCount) == true {
      for absentee in attendance.excuseAll() where reported.insert(absentee.subject).inserted {
        lines.append(absentee.description(after: timeout))
      }
    }
    for number in expectations.keys where expectations[number]?.losePatience(noted: 0) == true {
      switch expectations[number]?.subject {
      case .consumers(let count):
        lines.append("\(count) consumers are waited for, but \(attendance.waitingCount) ask for a tick.")
      case .sleepers(let count):
        lines.append("\(count) sleepers are waited for, but \(time.sleeperCount) sleep.")
      case .settlement, nil:
        break
      }
    }
    return lines.map { "VirtualClock: \($0)" }
  }
}
