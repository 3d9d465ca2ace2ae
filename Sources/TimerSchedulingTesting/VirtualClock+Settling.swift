import TimerScheduling

/// Somebody who waits for what others do.
struct Expectation: Sendable {
  enum Subject {
    /// That nobody has anything left to do.
    case settlement
    case consumers(Int)
    case sleepers(Int)
  }

  let subject: Subject
  let continuation: CheckedContinuation<Void, Never>
  /// When it has taken too long, in real time. Nil once that was said.
  var patience: ContinuousClock.Instant?
}

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
  func settle() async {
    repeat {
      finishPosted()
    } while await waitUntilSettled()
  }

  /// Returns false if there was nothing to wait for.
  private func waitUntilSettled() async -> Bool {
    guard settlingTimeout > .zero, !state.withLock(\.attendance.isSettled) else { return false }
    await withCheckedContinuation { continuation in
      let patience = ContinuousClock.now + settlingTimeout
      update {
        $0.settling = Expectation(subject: .settlement, continuation: continuation, patience: patience)
      }
      watch(until: patience)
    }
    return true
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
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let patience = settlingTimeout > .zero ? ContinuousClock.now + settlingTimeout : nil
        let isCancelled = update { state in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          if Task.isCancelled { return true }
          state.expectations[number] = Expectation(
            subject: subject, continuation: continuation, patience: patience)
          return false
        }
        if isCancelled { continuation.resume() } else if let patience { watch(until: patience) }
      }
    } onCancel: {
      let expectation = state.withLock { $0.expectations.removeValue(forKey: number) }
      expectation?.continuation.resume()
    }
  }

  // MARK: Patience

  /// Has a task look, from `moment` on, whether somebody has waited for too long.
  ///
  /// One task for a clock, which ends when there is nobody to look after: most waits last for microseconds.
  private func watch(until moment: ContinuousClock.Instant) {
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    Task.detached { [weak self] in
      var moment: ContinuousClock.Instant? = moment
      while let next = moment {
        try? await Task.sleep(until: next, clock: .continuous)
        moment = self?.losePatience()
      }
    }
  }

  /// Gives up on what has taken too long. Returns when to look again, or nil if nobody waits.
  private func losePatience() -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    let (lines, next) = update { state in
      let lines = state.losePatience(at: now, after: settlingTimeout)
      let waiting = [state.settling].compactMap(\.self) + state.expectations.values
      let next = waiting.compactMap(\.patience).min()
      state.isWatched = next != nil
      return (lines, next)
    }
    for line in lines { report(line) }
    return next
  }
}

extension VirtualClock.State {
  fileprivate mutating func takeFulfilled() -> [Expectation] {
    var fulfilled: [Expectation] = []
    if let settling, isFulfilled(settling) {
      fulfilled.append(settling)
      self.settling = nil
    }
    for (number, expectation) in expectations where isFulfilled(expectation) {
      fulfilled.append(expectation)
      expectations[number] = nil
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

  /// Excuses those who are busy for too long, and returns what there is to say of it that wasn't said before.
  fileprivate mutating func losePatience(
    at now: ContinuousClock.Instant, after timeout: Duration
  ) -> [String] {
    var lines: [String] = []
    if let patience = settling?.patience, patience <= now {
      lines += attendance.excuseAll().map { $0.description(after: timeout) }
    }
    for (number, expectation) in expectations {
      guard let patience = expectation.patience, patience <= now else { continue }
      expectations[number]?.patience = nil
      switch expectation.subject {
      case .settlement: break
      case .consumers(let count):
        lines.append(
          "VirtualClock: \(count) consumers are waited for, but \(attendance.waitingCount) ask for a tick.")
      case .sleepers(let count):
        lines.append("VirtualClock: \(count) sleepers are waited for, but \(time.sleeperCount) sleep.")
      }
    }
    return lines.filter { reported.insert($0).inserted }
  }
}

extension Attendance.Absentee {
  fileprivate func description(after timeout: Duration) -> String {
    let timer = name.map { "timer \"\($0)\"" } ?? timer.map { "timer \($0), which has no name," } ?? "a timer"
    let failing =
      switch duty {
      case .firstTick: "Nobody has asked \(timer) for its first tick"
      case .nextTick: "The consumer of \(timer) hasn't asked for its next tick"
      case .action: "The action of \(timer) hasn't returned"
      case .task: "A task of the clock's hasn't ended or waited for it"
      case .sleep: "A task that has slept hasn't waited for the clock again"
      }
    return "VirtualClock: \(failing) within \(timeout). The clock goes on without waiting for it."
  }
}
