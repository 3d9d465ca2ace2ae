/// The scheduler's side, which runs on its queue.
extension TimerRecord {
  /// What the scheduler finds when it looks at a record.
  enum Wish {
    case filed(Filing)
    case unfiled
    /// The timer has finished. With `holdsError`, its record is to be released off the queue.
    case gone(holdsError: Bool)
  }

  /// Fires the timer, which is no longer filed, and returns what it wants next, and how late it fired if it did.
  func fire(at reading: ClockReading) -> (Wish, lateness: Interval?) {
    let firing = cell.withLock { cell in
      var firing = cell.fire(at: reading)
      note(&firing.followUp)
      return firing
    }
    // Before anybody is resumed, who may leave the tick to others, or let others in who don't get it.
    if firing.lateness != nil { keeper.monitor?.noteFired(timer: id) }
    perform(firing.followUp, onQueue: true)
    // To look at an owner may release it, which has no place on the timer queue. A listener or an action
    // that was waiting looks by itself.
    if owner != nil, !firing.isAwaited { keeper.performElsewhere { self.checkOwner() } }
    return (firing.wish, firing.lateness)
  }

  /// The scheduler looks. Changes from now on are posted anew.
  func collectWish() -> Wish {
    cell.withLock { $0.collectWish() }
  }

  /// Has the timer consider that the wall clock was set back. The scheduler looks at it afterwards.
  func noteWallClockSetBack(at reading: ClockReading) {
    switch cell.withLock({ $0.noteWallClockSetBack(at: reading) }) {
    case .none: break
    // A rule is the user's code, which has no place on the timer queue.
    case .consult: keeper.performElsewhere { self.consultAnew() }
    }
  }

  private func consultAnew() {
    let question = cell.withLock { $0.unfold().gate.machine.consultAnew(at: keeper.clock.read()) }
    if let (query, inquiry) = question { adopt(query.ask(), to: inquiry) }
  }
}
