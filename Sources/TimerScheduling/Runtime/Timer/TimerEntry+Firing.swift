/// How a timer is to be filed with its driver.
enum Registration: Equatable {
  /// For a deadline.
  case filed(TimerStateMachine.Filing)
  /// The timer lives, and has no deadline.
  case dormant
  /// The timer has finished. With `holdsError`, it is to be released off the queue.
  case gone(holdsError: Bool)
}

/// The driver's side, which runs on its queue.
extension TimerEntry {
  /// Fires the timer, whose deadline was taken out, and files it for the next.
  ///
  /// Returns how late it fired, unless there is nothing to take, and whether it has ended and holds an error, and so is
  /// to be released elsewhere.
  func fire(at reading: ClockReading) -> (lateness: Interval?, holdsError: Bool) {
    var firing = cell.withLock { cell in
      var firing = cell.fire(at: reading)
      cell.filed = .dormant
      register(&cell, &firing.followUp, firedAt: reading)
      note(&firing.followUp, of: cell)
      firing.holdsError = cell.registration == .gone(holdsError: true)
      return firing
    }
    // The pass looks after it itself.
    firing.followUp.wakeup = .none
    // Before anybody is resumed, who may leave the tick to others, or let others in who don't get it.
    if firing.lateness != nil { driver.monitor?.noteFired(timer: id) }
    perform(firing.followUp, onQueue: true)
    // To look at an owner may release it, which has no place on the timer queue. A listener or an action
    // that was waiting looks by itself.
    if owner != nil, !firing.isAwaited { driver.performElsewhere { self.checkOwner() } }
    return (firing.lateness, firing.holdsError)
  }

  /// Files the timer as its state asks for. Called under the lock of the timer.
  ///
  /// After a firing, the filing is always for a later moment.
  func register(_ cell: inout TimerCell, _ followUp: inout FollowUp, firedAt firing: ClockReading? = nil) {
    guard let place = cell.place else { return }
    let registration = cell.registration
    guard registration != cell.filed else { return }
    cell.filed = registration
    switch registration {
    case .filed(var filing):
      if let firing {
        let later = filing.following(firing)
        assert(later == filing, "A timer that was just fired is due again at \(filing.deadline).")
        guard let later else { return }
        filing = later
      }
      file(&cell, at: place, filing, &followUp)
    case .dormant:
      file(&cell, at: place, nil, &followUp)
    case .gone:
      cell.place = nil
      followUp.wakeup = driver.remove(place)
    }
  }

  private func file(
    _ cell: inout TimerCell, at place: Shards.Place, _ filing: Filing?, _ followUp: inout FollowUp
  ) {
    if let filing, filing.timeline != place.timeline {
      _ = driver.remove(place)
      return add(&cell, on: filing.timeline, filing, &followUp)
    }
    guard let wakeup = driver.file(place, filing) else {
      cell.place = nil
      followUp.isDriverClosed = true
      return
    }
    followUp.wakeup = wakeup
  }

  /// Adds the timer to its driver. Called under the lock of the timer.
  func add(
    _ cell: inout TimerCell, on timeline: Timeline, _ filing: Filing?, _ followUp: inout FollowUp
  ) {
    guard let (place, wakeup) = driver.add(self, on: timeline, filing) else {
      cell.place = nil
      followUp.isDriverClosed = true
      return
    }
    cell.place = place
    followUp.wakeup = wakeup
  }

  /// Has the timer consider that the wall clock was set back.
  func wallClockSetBack(at reading: ClockReading) {
    let action = cell.withLock { cell in
      let action = cell.wallClockSetBack(at: reading)
      var followUp = FollowUp()
      // Its deadline may be an earlier one, by the same clock.
      cell.filed = .dormant
      register(&cell, &followUp)
      return action
    }
    switch action {
    case .none: break
    // A rule is the user's code, which has no place on the timer queue.
    case .consult: driver.performElsewhere { self.consultAnew() }
    }
  }

  private func consultAnew() {
    let question = cell.withLock { $0.unfold().gate.machine.consultAnew(at: driver.clock.read()) }
    if let (query, inquiry) = question { adopt(query.ask(), to: inquiry) }
  }
}
