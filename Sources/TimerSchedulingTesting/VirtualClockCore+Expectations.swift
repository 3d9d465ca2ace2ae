import TimerScheduling

extension VirtualClockCore.State {
  mutating func takeFulfilled() -> [Expectation] {
    var fulfilled: [Expectation] = []
    for (number, expectation) in expectations where isFulfilled(expectation) {
      fulfilled.append(expectation)
      expectations[number] = nil
      if let task = expectation.task { attendance.endWait(of: task) }
    }
    // Checked last, as the resumed tasks now have something to do.
    if let settling, isFulfilled(settling) {
      fulfilled.append(settling)
      self.settling = nil
    }
    return fulfilled
  }

  /// Whether the clock waits only for listeners that haven't asked for a tick yet and that a sleeping task may be
  /// about to iterate.
  var mayGiveUpCalled: Bool {
    !attendance.isSettled && attendance.isSettledButForCalled && time.sleeperCount > 0
  }

  private func isFulfilled(_ expectation: Expectation) -> Bool {
    switch expectation.subject {
    case .settlement: attendance.isSettled || mayGiveUpCalled
    case .consumers(let count): attendance.waitingCount >= count
    case .sleepers(let count): time.sleeperCount >= count
    case .nothing: true
    }
  }

  /// Stops waiting for tasks that are busy for too long, and returns the lines to print about them. Messages that
  /// fail the test are kept until the waiting task is resumed.
  mutating func giveUpLate(after timeout: Duration) -> [String] {
    var lines: [String] = []
    if settling?.look(noted: attendance.noteCount) == .takesLong {
      settlingTimeoutCount += 1
      for item in attendance.giveUpAll() where reported.insert(item.subject).inserted {
        let line = item.description(after: timeout)
        if item.isParticipant { fail(line) } else { lines.append(line) }
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

  /// Returns a sentence about the missing consumers or sleepers of an expectation.
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

  /// Fails the test later, on the task that moves the clock or waits for others.
  mutating func fail(_ line: String) { failures.append("VirtualClock: \(line)") }
}
