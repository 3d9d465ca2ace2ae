extension TimerStateMachine {
  /// Fires the timer, which the deadline queue has found due. Returns whether there is a new tick.
  package mutating func fire(at reading: ClockReading, isAwaited: Bool) -> Bool {
    follow(reading)
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
    case .asking, .last, .paused, .completed, .finished:
      return false
    }
  }

  package enum TakeResult {
    case tick(TimerTick)
    case wait
    /// The rule must be asked before a tick can be taken.
    case ask(RuleQuestion)
    case finished
  }

  /// Adds a listener, which is owed the ticks of later deadlines. If there is no other listener and no tick
  /// was taken, it is also owed earlier ticks.
  package mutating func join(isAlone: Bool, at now: () -> ClockReading) -> TickCursor {
    switch state {
    case .dormant:
      let (extras, reading) = (makeExtras(), now())
      follow(reading)
      deadlinesPassed(extras, at: reading)
      // The rule isn't asked for its dates in the time without listeners.
      if isAlone, takenCount > 0 { extras.recurrence.forgetDates(at: reading) }
    case .armed, .asking, .last, .paused, .completed, .finished:
      break
    }
    let isFirst = isAlone && takenCount == 0
    // Without extras there is one tick at most, which no listener can have left untaken.
    guard let extras else { return !isFirst && ledger.hasFired ? .afterFirst : .start }
    return isFirst ? extras.ledger.joinFirst() : extras.ledger.join(isAlone: isAlone)
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
      // Under `.delay`, whether a tick that fired for no waiting task begins a new cadence is decided only
      // now.
      if taken != nil, let extras, extras.punctualUntil != nil, !isAtLimit { goOn(extras, at: now()) }
      return taken.map { .tick($0) } ?? .wait
    case .dormant:
      if let question = ask(at: now) { return .ask(question) }
      let (extras, reading) = (makeExtras(), now())
      follow(reading)
      deadlinesPassed(extras, at: reading)
      let taken = takeTick(&cursor)
      if !isAtLimit, !owes(cursor) {
        if taken != nil { goOn(extras, at: reading) } else { waitForNext(extras, at: reading) }
      }
      return taken.map { .tick($0) } ?? .wait
    case .last:
      return takeTick(&cursor).map { .tick($0) } ?? .wait
    case .asking, .paused:
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
    case .asking, .last, .paused, .completed, .finished: break
    }
    return tick
  }

  /// Returns the question to the rule, which dates have passed and which is next: of a timer that waits for a
  /// listener, or for a task to ask as the wall clock was set back.
  package mutating func ask(at now: () -> ClockReading) -> RuleQuestion? {
    guard isByRule, let extras else { return nil }
    let reading: ClockReading
    switch state {
    case .dormant:
      reading = now()
      follow(reading)
      beginAsking(extras, at: reading)
    case .asking where extras.isUnasked: reading = now()
    case .armed, .asking, .last, .paused, .completed, .finished: return nil
    }
    guard var question = extras.recurrence.question(at: reading, missedTicks: missedTicks) else { return nil }
    extras.isUnasked = false
    question.number = extras.questionNumber
    return question
  }

  private mutating func beginAsking(_ extras: TimerExtras, at reading: ClockReading) {
    extras.questionNumber &+= 1
    extras.since = reading
    state = .asking
  }

  /// Applies the rule's answer: the timer waits for its next date. Ticks of dates that have passed can now be
  /// taken.
  package mutating func accept(_ answer: RuleQuestion.Answer, at reading: ClockReading) {
    // If the clock was set back meanwhile, the rule is asked anew.
    follow(reading)
    guard let extras, answer.number == extras.questionNumber else { return }
    switch state {
    case .asking:
      if let newest = answer.newest {
        extras.ledger.datesAnswered(
          Int64(answer.passed), newest: Deadline(newest), setBackCount: answer.setBackCount)
      }
      extras.recurrence.accept(answer)
      waitForNext(extras, at: reading)
    case .armed, .dormant, .last, .paused, .completed, .finished:
      break
    }
  }

  /// Follows a wall clock that was set. Every event with a reading begins with this, so what the timer knows
  /// of its dates is always of the time that the clock shows. A paused timer leaves out all dates up to its
  /// resume anyway.
  package mutating func follow(_ reading: ClockReading) {
    switch state {
    case .armed, .dormant, .asking: break
    case .last, .paused, .completed, .finished: return
    }
    guard let extras, extras.recurrence.timeline == .wall else { return }
    guard let (change, passed) = extras.recurrence.follow(reading, since: extras.since) else {
      // If the clock was set forward, dates up to here have passed, even if it is set back before they are
      // counted.
      if reading.wallLead > extras.since.wallLead { extras.since = reading }
      return
    }
    if let passed {
      notePunctuality(passed, extras)
      extras.ledger.deadlinesPassed(passed.count, newest: passed.newest)
    }
    extras.ledger.clockSetBack()
    switch state {
    case .dormant: becomeDormant(extras, at: change)
    case .armed where !isByRule:
      // Even if the clock had been set back before the timer was resumed, the deadline may have passed by
      // then.
      let resumed = extras.resumed
      waitForNext(extras, at: change)
      if resumed > .past { wasResumed(at: min(resumed, reading[timeline])) }
    case .armed, .asking:
      beginAsking(extras, at: reading)
      extras.isUnasked = true
    case .last, .paused, .completed, .finished: break
    }
  }

  /// Whether the wall clock was set beyond the last date of a timer that waits.
  package func isOver(at now: () -> ClockReading) -> Bool {
    guard case .armed(let due, _, let timeline) = state, let extras, extras.recurrence.until != nil else {
      return false
    }
    let reading = now()
    return due > reading[timeline] && extras.recurrence.isOver(at: reading)
  }

  package mutating func endIfOver(at now: () -> ClockReading) { if isOver(at: now) { state = .last() } }

  /// Whether the timer waits for a task to ask its rule.
  package var asksRule: Bool { if case .asking = state { extras?.isUnasked ?? false } else { false } }
}
