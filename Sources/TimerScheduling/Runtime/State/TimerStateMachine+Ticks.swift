extension TimerStateMachine {
  /// Fires the timer, which the deadline queue has found due. Returns whether there is a new tick.
  package mutating func fire(at reading: ClockReading, isAwaited: Bool) -> Bool {
    switch state {
    case .armed(let due, _, let timeline):
      let now = reading[timeline]
      // It may be filed for an earlier moment, before it was rescheduled to a later one.
      guard due <= now else { return false }
      guard let extras else {
        state = .last(OnlyTick(date: reading.wall, lateness: now - due))
        return true
      }
      guard let passed = extras.recurrence.pass(at: reading) else {
        // The wall clock was set beyond the date after which there are no more deadlines.
        state = .last()
        return false
      }
      notePunctuality(passed, extras)
      let lateFrom = max(passed.newest, min(extras.resumed, now))
      extras.ledger.deadlinesFired(
        passed.count, at: reading.wall, lateness: now - lateFrom, pause: lateFrom - passed.newest)
      if isAwaited, !isByRule {
        goOn(extras, at: reading)
      } else {
        becomeDormant(extras, at: reading)
      }
      return true
    case .dormant(let last):
      guard let extras, last <= reading[timeline] else { return false }
      deadlinesPassed(extras, at: reading)
      becomeDormant(extras, at: reading)
      return false
    case .consulting, .last, .paused, .completed, .finished:
      return false
    }
  }

  package enum TakeResult {
    case tick(TimerTick)
    case wait
    /// The rule must be asked before a tick can be taken.
    case consult(RuleQuery, inquiry: UInt32)
    case finished
  }

  /// Adds a listener, which is owed the ticks of later deadlines. If there is no other listener and no tick was
  /// taken, it is also owed earlier ticks.
  package mutating func join(isAlone: Bool, at now: () -> ClockReading) -> TickCursor {
    switch state {
    case .dormant:
      let (extras, reading) = (makeExtras(), now())
      deadlinesPassed(extras, at: reading)
      // The rule isn't asked for its dates in the time without listeners.
      if isAlone, takenCount > 0 { extras.recurrence.forgetDates(at: reading) }
    case .armed, .consulting, .last, .paused, .completed, .finished:
      break
    }
    return withLedger { ledger in
      isAlone && ledger.takenCount == 0 ? ledger.joinFirst() : ledger.join(isAlone: isAlone)
    }
  }

  /// Notes that a listener has left. `first` is the cursor of the remaining one that joined first.
  package mutating func listenerLeft(first: TickCursor) {
    if ledger.hasFired { makeExtras().ledger.listenerLeft(first: first) }
  }

  /// Takes a tick for a listener. The clocks are read only if the answer depends on them.
  package mutating func take(_ cursor: inout TickCursor, at now: () -> ClockReading) -> TakeResult {
    switch state {
    case .armed:
      let taken = takeTick(&cursor)
      // Under `.delay`, whether a tick that fired for no waiting task begins a new cadence is decided only now.
      if taken != nil, let extras, extras.punctualUntil != nil, !isAtLimit { goOn(extras, at: now()) }
      return taken.map { .tick($0) } ?? .wait
    case .dormant:
      if let (query, inquiry) = consult(at: now) { return .consult(query, inquiry: inquiry) }
      let (extras, reading) = (makeExtras(), now())
      deadlinesPassed(extras, at: reading)
      let taken = takeTick(&cursor)
      if !isAtLimit, !owes(cursor) {
        if taken != nil { goOn(extras, at: reading) } else { waitForNext(extras, at: reading) }
      }
      return taken.map { .tick($0) } ?? .wait
    case .last:
      return takeTick(&cursor).map { .tick($0) } ?? .wait
    case .consulting, .paused:
      return .wait
    case .completed:
      return takeTick(&cursor).map { .tick($0) } ?? .finished
    case .finished:
      return .finished
    }
  }

  private mutating func takeTick(_ cursor: inout TickCursor) -> TimerTick? {
    let tick = takeFromLedger(&cursor)
    switch state {
    case .armed, .dormant: if isAtLimit { state = .last() }
    case .consulting, .last, .paused, .completed, .finished: break
    }
    return tick
  }

  /// Returns the query for the rule of a timer that waits for a listener: which dates have passed, and which is next.
  /// With `isAnew`, the timer waits for one of the rule's dates, and the wall clock was set back.
  package mutating func consult(
    isAnew: Bool = false, at now: () -> ClockReading
  ) -> (RuleQuery, inquiry: UInt32)? {
    switch state {
    case .armed where isAnew, .dormant where isByRule && !isAnew:
      let (extras, reading) = (makeExtras(), now())
      // Anew, asks for one date at a time, as no task would take a tick for dates that have passed.
      let behavior = isAnew ? .burst : missedTicks
      guard let query = extras.recurrence.query(at: reading, missedTicks: behavior) else { return nil }
      extras.inquiry &+= 1
      extras.since = reading
      state = .consulting
      return (query, extras.inquiry)
    case .armed, .dormant, .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  /// Applies the rule's answer: the timer waits for its next date. Ticks of dates that have passed can now be taken.
  package mutating func adopt(_ answer: RuleQuery.Answer, to inquiry: UInt32, at reading: ClockReading) {
    guard let extras, inquiry == extras.inquiry else { return }
    switch state {
    case .consulting:
      guard !reading.isSetBack(since: extras.since) else {
        // The answer was for a time before the clock was set back. The task that asked asks again.
        state = .dormant(last: .never)
        return
      }
      extras.ledger.datesAnswered(
        Int64(answer.passed), newest: Deadline(answer.newest), by: reading.wall)
      extras.recurrence.adopt(answer)
      waitForNext(extras, at: reading)
    case .armed, .dormant, .last, .paused, .completed, .finished:
      break
    }
  }

  /// Handles a set-back of the wall clock, after which deadlines may come before the one the timer waits for.
  ///
  /// Returns whether the rule must be asked anew, off the driver's queue.
  package mutating func wallClockSetBack(at reading: ClockReading) -> Bool {
    switch state {
    case .armed:
      guard let extras else { return false }
      if isByRule { return true }
      // Even if the clock had been set back before the timer was resumed, the deadline may have passed by then.
      let resumed = extras.resumed
      waitForNext(extras, at: reading)
      if resumed > .past { wasResumed(at: min(resumed, reading[timeline])) }
    case .dormant, .consulting, .last, .paused, .completed, .finished:
      // The task that takes the tick or resumes the timer reads the clock.
      break
    }
    return false
  }
}
