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

  private func isFulfilled(_ expectation: Expectation) -> Bool {
    switch expectation.subject {
    case .settlement: attendance.isSettled
    case .consumers(let count): attendance.waitingCount >= count
    case .sleepers(let count): time.sleeperCount >= count
    }
  }

  /// Excuses those who are busy for too long, and returns what there is to say of it.
  mutating func losePatience(after timeout: Duration) -> [String] {
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
