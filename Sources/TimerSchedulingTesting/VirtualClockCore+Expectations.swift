import TimerScheduling

extension VirtualClockCore.State {
  mutating func takeFulfilled() -> [Expectation] {
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

  /// Whether the only listeners that are waited for haven't asked for a tick yet, and may be about to be iterated by a task
  /// that sleeps.
  var mayExcuseCalled: Bool {
    !attendance.isSettled && attendance.isSettledButForCalled && time.sleeperCount > 0
  }

  private func isFulfilled(_ expectation: Expectation) -> Bool {
    switch expectation.subject {
    case .settlement: attendance.isSettled || mayExcuseCalled
    case .consumers(let count): attendance.waitingCount >= count
    case .sleepers(let count): time.sleeperCount >= count
    case .nothing: true
    }
  }

  /// Excuses those who are busy for too long, and returns what to print of it. What fails the test is kept until the task
  /// that waits is resumed.
  mutating func losePatience(after timeout: Duration) -> [String] {
    var lines: [String] = []
    if settling?.look(noted: attendance.noteCount) == .takesLong {
      settlingTimeoutCount += 1
      for absentee in attendance.excuseAll() where reported.insert(absentee.subject).inserted {
        let line = absentee.description(after: timeout)
        if absentee.isParticipant { fail(line) } else { lines.append(line) }
      }
    }
    for number in expectations.keys {
      guard let line = expectations[number].flatMap({ shortfall(of: $0) }) else { continue }
      switch expectations[number]?.look(noted: 0) {
      case .takesLong: lines.append(line)
      case .isGivenUp: fail(line)
      case .nothing, nil: break
      }
    }
    return lines.map { "VirtualClock: \($0)" }
  }

  /// What an expectation lacks.
  private func shortfall(of expectation: Expectation) -> String? {
    switch expectation.subject {
    case .consumers(let count):
      "\(count) consumers are waited for, but \(attendance.waitingCount) ask for a tick."
    case .sleepers(let count):
      "\(count) sleepers are waited for, but \(time.sleeperCount) sleep."
    case .settlement, .nothing:
      nil
    }
  }

  /// Has the task that moves the clock, or that waits for others, fail the test.
  mutating func fail(_ line: String) { failures.append("VirtualClock: \(line)") }
}
