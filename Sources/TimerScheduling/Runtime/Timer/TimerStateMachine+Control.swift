extension TimerStateMachine {
  // MARK: Pausing

  /// Pauses the timer, until it is resumed.
  package mutating func pause(at now: () -> ClockReading) {
    isPausedByCall = true
    interrupt(at: now)
  }

  /// Pauses the timer, until as many scopes have ended as have begun.
  package mutating func beginPausingScope(at now: () -> ClockReading) {
    pausingScopeCount += 1
    interrupt(at: now)
  }

  private mutating func interrupt(at now: () -> ClockReading) {
    switch state {
    case .armed, .parked:
      let reading = now()
      // What came before the pause has fired, whether or not the driver has got to it.
      notePassed(at: reading)
      state = .paused(since: reading, interrupted(at: reading))
    case .consulting:
      state = .paused(since: now(), .asking)
    case .last:
      state = .paused(since: now(), .last)
    case .paused, .completed, .finished:
      break
    }
  }

  private mutating func interrupted(at reading: ClockReading) -> Interrupted {
    if agenda.isByRule { return agenda.hasDate ? .waiting : .asking }
    return agenda.upcoming(at: reading) == nil ? .last : .waiting
  }

  // MARK: Resuming

  /// Lets a paused timer go on, unless a scope keeps it paused.
  package mutating func resume(_ behavior: ResumeBehavior, at now: () -> ClockReading) {
    isPausedByCall = false
    goOn(behavior, at: now)
  }

  /// Ends a scope. The timer goes on after the last one, unless it was paused by a call.
  package mutating func endPausingScope(at now: () -> ClockReading) {
    pausingScopeCount -= 1
    goOn(.keepingRemainingTime, at: now)
  }

  private mutating func goOn(_ behavior: ResumeBehavior, at now: () -> ClockReading) {
    guard !isPausedByCall, pausingScopeCount == 0 else { return }
    switch state {
    case .paused(let since, let interrupted):
      let reading = now()
      switch interrupted {
      case .waiting, .asking:
        rejoin(behavior, since: since, at: reading)
      case .last:
        state = .last
      }
    case .armed, .parked, .consulting, .last, .completed, .finished:
      break
    }
  }

  private mutating func rejoin(_ behavior: ResumeBehavior, since: ClockReading, at reading: ClockReading) {
    switch behavior {
    case .keepingRemainingTime:
      if !agenda.postpone(from: since, to: reading) { agenda.skip(from: since, to: reading) }
    case .keepingPhase:
      agenda.skip(from: since, to: reading)
    case .immediately:
      if !agenda.isOver(at: reading) { ledger.noteFired(1, at: reading.wall, lateness: .zero) }
      if agenda.isOnce {
        state = .last
        return
      }
      agenda.skip(from: since, to: reading)
      agenda.restart(at: reading)
      missesDeadlines = false
    }
    waitOn(at: reading)
    noteResumed(at: reading[agenda.timeline])
  }

  /// Notes that the timer was resumed. If its deadline had passed by then, it is late from then on only.
  mutating func noteResumed(at moment: Deadline) {
    switch state {
    case .armed(let due) where due < moment: resumed = moment
    case .armed, .parked, .consulting, .last, .paused, .completed, .finished: break
    }
  }

  // MARK: Firing by hand

  /// Makes a tick, and leaves the deadlines as they are. A timer with one deadline has had it then.
  package mutating func fireByHand(at now: () -> ClockReading) {
    switch state {
    case .armed, .parked:
      let reading = now()
      // What is due already comes before.
      notePassed(at: reading)
      switch state {
      case .armed: waitOn(at: reading)
      case .parked, .consulting, .last, .paused, .completed, .finished: break
      }
      tickByHand(at: reading)
    case .consulting:
      tickByHand(at: now())
    case .last, .paused, .completed, .finished:
      break
    }
  }

  /// Goes on waiting after deadlines may have passed.
  private mutating func waitOn(at reading: ClockReading) {
    if agenda.isByRule, !agenda.hasDate { state = .parked(end: nil) } else { file(at: reading) }
  }

  private mutating func tickByHand(at reading: ClockReading) {
    switch state {
    case .armed where agenda.isOnce: state = .last
    case .armed, .parked, .consulting: break
    case .last, .paused, .completed, .finished: return
    }
    if !agenda.isOver(at: reading) { ledger.noteFired(1, at: reading.wall, lateness: .zero) }
  }

  // MARK: Rescheduling

  /// Whether another plan would be taken up.
  var isReschedulable: Bool { !isFinished && !agenda.isCountdown }

  /// Takes up another plan in place of what was scheduled and fired, and returns the rule of the old one.
  ///
  /// A countdown keeps its own.
  package mutating func reschedule(_ plan: consuming TimerPlan, at reading: ClockReading) -> (any TickRule)? {
    if agenda.isCountdown { return nil }
    switch state {
    case .armed, .parked, .consulting, .last:
      let rule = adopt(plan)
      begin(at: reading)
      return rule
    case .paused:
      let rule = adopt(plan)
      begin(at: reading)
      // All of the new schedule is yet to come, and be it due at once.
      switch state {
      case .armed: state = .paused(since: reading, .waiting)
      case .last: state = .paused(since: reading, .last)
      case .parked, .consulting, .paused, .completed, .finished: break
      }
      return rule
    case .completed, .finished:
      return nil
    }
  }
}
