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
    !attendance.isSettled && attendance.isSettledButForCalled && sleeperCount > 0
  }

  /// The number of tasks that sleep on the clock or on one of its schedulers.
  private var sleeperCount: Int { time.sleeperCount + attendance.sleeperCount }

  private func isFulfilled(_ expectation: Expectation) -> Bool {
    switch expectation.subject {
    case .settlement: attendance.isSettled || mayGiveUpCalled
    case .consumers(let count): attendance.waitingCount >= count
    case .sleepers(let count): sleeperCount >= count
    case .shutdown: false
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
      // A shutdown that waits for the clock isn't late while the clock moves.
      if isMoving, case .shutdown = expectations[number]?.subject { continue }
      switch expectations[number]?.look(noted: 0) {
      case .takesLong: lines.append(line)
      case .isGivenUp: fail(line)
      case .nothing, nil: break
      }
    }
    return lines.map { "VirtualClock: \($0)" }
  }

  /// Returns a sentence about what an expectation still waits for.
  private func shortfall(of expectation: Expectation) -> String? {
    switch expectation.subject {
    case .consumers(let count):
      "\(count) consumers are waited for, but \(attendance.waitingCount) ask for a tick."
    case .sleepers(let count):
      "\(count) sleepers are waited for, but \(sleeperCount) sleep."
    case .shutdown(let scheduler):
      shortfall(ofShutdown: scheduler)
    case .settlement, .nothing:
      nil
    }
  }

  private func shortfall(ofShutdown scheduler: UInt64) -> String? {
    let runs = attendance.runs(of: scheduler).map { "the action of \($0.timer) \(reason(of: $0))" }
    return runs.isEmpty ? nil : "A scheduler's shutdown waits: \(runs.joined(separator: ", "))."
  }

  /// Returns what a run waits for, as far as the clock knows.
  private func reason(of run: Attendance.Run) -> String {
    if let end = time.end(ofSleepIn: run.tasks) {
      return "sleeps on the clock, which stands still, for \((end - time.now.monotonic).duration)"
    }
    return switch attendance.wait(in: run.tasks) {
    case .sleep: "sleeps on a scheduler, whose clock stands still"
    case .tick(let timer): "waits for a tick of \(timer)"
    case .end: "waits for the end of a timer or of a run"
    case nil: "hasn't returned"
    }
  }

  /// Fails the test later, on the task that moves the clock or waits for others.
  mutating func fail(_ line: String) { failures.append("VirtualClock: \(line)") }
}
