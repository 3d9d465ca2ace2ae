import Synchronization

extension TimerEntry {
  @inline(__always)
  var ends: UInt64 { id &+ (endsUnheld ? 1 : 0) }

  /// Fires the timer, whose deadline was taken out of the queue, and files it for the next. Returns the
  /// lateness of a tick that there is to take, and whether the pass is to submit the timer's run to the pool
  /// with others.
  func fire(at reading: ClockReading) -> (lateness: Interval?, hasRun: Bool) {
    var (isAwaited, lateness) = (false, nil as Interval?)
    var effects = change(firedAt: reading) { machine in
      isAwaited = machine.isAwaited
      if machine.fire(at: reading, isAwaited: isAwaited) { lateness = machine.ledger.newestLateness }
    }.effects
    // The pass computes its next wakeup itself.
    effects.wakeup = .none
    let hasRun =
      effects.nextRun != nil && driver.runners != nil && !effects.parts.contains(.isolatedRun)
    if hasRun { effects.nextRun = nil }
    perform(effects, onQueue: true)
    // Not on the timer queue, as it may release the owner. A listener or an action that was waiting checks
    // the owner itself.
    if owner != nil, !isAwaited { driver.performOffQueue { self.checkOwner() } }
    return (lateness, hasRun)
  }

  // The next two are called under the lock of the timer.

  /// Files the timer anew as its state requires. After a firing, that is always for a later moment.
  func refile(
    _ machine: inout TimerStateMachine, _ effects: inout TimerEffects, firedAt firing: ClockReading?
  ) {
    guard let place = machine.place else { return }
    if machine.isGone {
      machine.place = nil
      effects.wakeup = driver.deadlines.remove(place)
      return
    }
    let filing = machine.filing
    if let firing {
      // Without another deadline, the timer needn't be taken out of the queue, as it was for this firing.
      guard let filing else { return }
      let isLater = filing.deadline > firing[filing.timeline]
      assert(isLater, "A timer that was just fired is due again at \(filing.deadline).")
      // It stands still, as a pass would fire it again and again.
      if !isLater { return }
    }
    if let wakeup = driver.deadlines.file(place, filing, number: driver.nextNumber()) {
      effects.wakeup = wakeup
    } else {
      _ = driver.deadlines.remove(place)
      machine.place = nil
      effects.parts.insert(.closed)
    }
  }

  /// Files the timer for the first time, unless it has ended.
  func file(_ machine: inout TimerStateMachine, _ effects: inout TimerEffects) {
    if machine.isGone { return }
    if let (place, wakeup) = driver.deadlines.add(.timer(self), machine.filing, number: id) {
      machine.place = place
      effects.wakeup = wakeup
    } else {
      effects.parts.insert(.closed)
    }
  }

  /// Follows the wall clock, which was set, in a pass.
  func follow(_ reading: ClockReading) {
    // Most timers have one date, which stays.
    if machine.withLock({ $0.extras != nil }) { update(onQueue: true) { $0.follow(reading) } }
  }
}
