/// What the scheduler is to be woken for.
extension TimerScheduler {
  /// Asks for the next wakeup.
  func arm(at reading: ClockReading) {
    var wakeup = monotonicLane.nextWakeup()
    let wallWakeup = wallLane.nextWakeup()
    wallLane.arm(for: wallWakeup, at: reading.wall, of: self)
    if let wallWakeup {
      // The kernel wakes for a wall clock that is set forward. One that was set back would make its
      // timers wait for longer, so they are seen to when the time is up by the monotonic clock.
      wakeup = min(wakeup ?? .never, reading.monotonic + (wallWakeup - reading.wall))
    }
    if let nextOwnerCheck { wakeup = min(wakeup ?? .never, nextOwnerCheck) }
    monotonicLane.arm(for: wakeup, at: reading.monotonic, of: self)
    holdOrRelease()
  }

  /// Has the clock hold the scheduler while it has timers, where the timers don't.
  private func holdOrRelease() {
    guard let looseKeeper, (recordCount > 0) != isHeld else { return }
    isHeld.toggle()
    if isHeld { looseKeeper.holder.hold(self) } else { looseKeeper.holder.release(self) }
  }

  /// Has the timers on the wall clock find their next deadlines anew when the clock was set back.
  func noticeWallClockSetBack(at reading: ClockReading) {
    guard wallLane.count > 0 else { return }
    guard let latest = latestWallClock, reading.wallLead < latest.wallLead else {
      latestWallClock = reading
      return
    }
    // A clock that is slewed loses microseconds from pass to pass, which are let add up.
    guard reading.isSetBack(since: latest) else { return }
    latestWallClock = reading
    for record in wallLane.removeAll() {
      record.placement = .none
      record.noteWallClockSetBack(at: reading)
      reconcile(record)
    }
  }
}
