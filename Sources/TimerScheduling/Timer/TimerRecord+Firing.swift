/// The scheduler's side, which runs on its queue.
extension TimerRecord {
  /// What the scheduler finds when it looks at a record.
  enum Wish {
    case filed(Filing)
    case unfiled
    /// The timer has finished. With `holdsError`, its record is to be released off the queue.
    case gone(holdsError: Bool)
  }

  /// Fires the timer, which is no longer filed, and returns what it wants next.
  func fire(at reading: ClockReading) -> Wish {
    let (wish, needsOwnerCheck, followUp) = gate.withLock { gate -> (Wish, Bool, FollowUp) in
      let before = gate.outlook
      let isAwaited = gate.isAwaited
      _ = gate.machine.fire(at: reading, isAwaited: isAwaited)
      var followUp = gate.followUp(since: before)
      // The scheduler gets the wish at once.
      if followUp.isToBePosted {
        followUp.isToBePosted = false
        gate.isPosted = false
      }
      return (gate.wish, owner != nil && !isAwaited, followUp)
    }
    // Before anybody is resumed, who may leave the tick to others, or let others in who don't get it.
    keeper.monitor?.noteFired(timer: id)
    perform(followUp, onQueue: true)
    // To look at an owner may release it, which has no place on the timer queue. A listener or an action
    // that was waiting looks by itself.
    if needsOwnerCheck { keeper.performElsewhere { self.checkOwner() } }
    return wish
  }

  /// The scheduler looks. Changes from now on are posted anew.
  func collectWish() -> Wish {
    gate.withLock { gate in
      gate.isPosted = false
      return gate.wish
    }
  }

  /// Has the timer consider that the wall clock was set back. The scheduler looks at it afterwards.
  func noteWallClockSetBack(at reading: ClockReading) {
    switch gate.withLock({ $0.machine.noteWallClockSetBack(at: reading) }) {
    case .none: break
    // A rule is the user's code, which has no place on the timer queue.
    case .consult: keeper.performElsewhere { self.consultAnew() }
    }
  }

  private func consultAnew() {
    let question = gate.withLock { $0.machine.consultAnew(at: keeper.clock.read()) }
    if let (query, inquiry) = question { adopt(query.ask(), to: inquiry) }
  }
}

extension TimerGate {
  fileprivate var wish: TimerRecord.Wish {
    if machine.isFinished { return .gone(holdsError: action?.failure != nil) }
    return machine.filing.map { .filed($0) } ?? .unfiled
  }
}
