/// How timers follow the wall clock, of which ``WallClockWatch`` keeps the lead.
nonisolated extension TimerDriver {
  /// Reads both clocks, to compute a deadline.
  func read() -> ClockReading { wallClock.read(clock) }

  /// Notes the reading of a schedule once its timer is filed. If a pass has found the clock set back before
  /// it could find the timer, the lead is the greatest again, and another pass finds the clock set back.
  func noteAgain(_ reading: ClockReading?) {
    if let reading, wallClock.note(reading) { announcePass() }
  }

  /// Asks the rules of timers in a task, one after the other: a rule is user code, which must not run on the
  /// queue.
  func ask(_ timer: TimerEntry) {
    let isFirst = unasked.withLock { timers in
      timers.append(timer)
      return timers.count == 1
    }
    guard isFirst else { return }
    performOffQueue { [self] in
      let timers = unasked.withLock { timers in
        defer { timers = [] }
        return timers
      }
      for timer in timers { timer.askRule() }
    }
  }
}

extension TimerDriver {
  /// Has the source of the wall clock wake the driver also when the clock is set, from the first date until
  /// the last timer is gone.
  func watchWallClock(isIdle: Bool) {
    guard clock.noticeDelay < .max, clock.virtual == nil else { return }
    if hasWallDeadlines {
      wallClock.hasNotices = true
    } else if wallClock.hasNotices, isIdle, deadlines.counts.entries == 0 {
      wallClock.hasNotices = false
    }
  }

  private static let followBatchSize = 256

  /// Has timers follow the wall clock, which was set: so many in each pass that others fire in time.
  func followWallClock(at reading: ClockReading) {
    for _ in 0..<min(Self.followBatchSize, followers.count) { followers.popLast()?.follow(reading) }
    if followers.isEmpty { return }
    requestPass()
  }
}
