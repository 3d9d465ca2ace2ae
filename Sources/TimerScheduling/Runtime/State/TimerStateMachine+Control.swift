extension TimerStateMachine {
  // MARK: Pausing

  /// Pauses the timer until it is resumed or, with `inScope`, until as many scopes have ended as have begun.
  package mutating func pause(inScope: Bool = false, at now: () -> ClockReading) {
    if inScope { pausingScopeCount += 1 } else { isPausedByCall = true }
    switch state {
    case .armed, .dormant:
      let reading = now()
      // Deadlines before the pause have fired, even if the scheduler hasn't handled them yet.
      deadlinesPassed(at: reading)
      pause(interrupted(at: reading), at: reading)
    case .consulting:
      pause(.asking, at: now())
    case .last:
      pause(.last, at: now())
    case .paused, .completed, .finished:
      break
    }
  }

  private mutating func pause(_ interrupted: Interrupted, at reading: ClockReading) {
    since = reading
    state = .paused(interrupted)
  }

  private mutating func interrupted(at reading: ClockReading) -> Interrupted {
    if isByRule { return recurrence.hasDate ? .waiting : .asking }
    return recurrence.upcoming(at: reading) == nil ? .last : .waiting
  }

  /// Pauses a timer that has just been made.
  package mutating func pauseAtStart(at reading: ClockReading) {
    isPausedByCall = true
    pauseBeginning(at: reading)
  }

  /// Pauses a timer whose schedule begins now. The whole schedule is still ahead, even if it is already due.
  private mutating func pauseBeginning(at reading: ClockReading) {
    switch state {
    case .armed: pause(.waiting, at: reading)
    case .last: pause(.last, at: reading)
    case .dormant, .consulting, .paused, .completed, .finished: break
    }
  }

  // MARK: Resuming

  /// Resumes a paused timer, unless a scope keeps it paused. With `endingScope`, a scope ends, and the timer is resumed
  /// after the last, unless a call has paused it.
  package mutating func resume(
    _ behavior: ResumeBehavior, endingScope: Bool = false, at now: () -> ClockReading
  ) {
    if endingScope { pausingScopeCount -= 1 } else { isPausedByCall = false }
    guard !isPausedByCall, pausingScopeCount == 0 else { return }
    switch state {
    case .paused(.waiting), .paused(.asking): rejoin(behavior, at: now())
    case .paused(.last): state = .last
    case .armed, .dormant, .consulting, .last, .completed, .finished:
      break
    }
  }

  private mutating func rejoin(_ behavior: ResumeBehavior, at reading: ClockReading) {
    switch behavior {
    case .keepingRemainingTime:
      if !recurrence.postpone(from: since, to: reading) { recurrence.skip(from: since, to: reading) }
    case .keepingPhase:
      recurrence.skip(from: since, to: reading)
    case .immediately:
      if !recurrence.isOver(at: reading) {
        makeExtras().ledger.deadlinesFired(1, at: reading.wall, lateness: .zero)
      }
      if recurrence.isOnce {
        state = .last
        return
      }
      recurrence.skip(from: since, to: reading)
      recurrence.restart(at: reading)
      punctualUntil = nil
    }
    waitOn(at: reading)
    wasResumed(at: reading[recurrence.timeline])
  }

  /// Notes that the timer was resumed. The lateness of a deadline that had passed by then counts from then on, as does
  /// that of a tick that is yet to be taken.
  mutating func wasResumed(at moment: Deadline) {
    if let punctualUntil, punctualUntil > .past { self.punctualUntil = max(punctualUntil, moment) }
    if state.isArmed, due < moment { resumed = moment }
  }

  // MARK: Firing by hand

  /// Makes a tick, and leaves the deadlines unchanged. For a timer with one deadline, this is its tick.
  package mutating func fireByHand(at now: () -> ClockReading) {
    switch state {
    case .armed, .dormant:
      let reading = now()
      // Deadlines that are already due come first.
      deadlinesPassed(at: reading)
      if state.isArmed { waitOn(at: reading) }
      tickByHand(at: reading)
    case .consulting:
      tickByHand(at: now())
    case .last, .paused, .completed, .finished:
      break
    }
  }

  /// Waits for the next deadline, after deadlines may have passed.
  private mutating func waitOn(at reading: ClockReading) {
    if isByRule, !recurrence.hasDate { waitForInquiry() } else { waitForNext(at: reading) }
  }

  private mutating func tickByHand(at reading: ClockReading) {
    switch state {
    case .armed where recurrence.isOnce: state = .last
    case .armed, .dormant, .consulting: break
    case .last, .paused, .completed, .finished: return
    }
    guard !recurrence.isOver(at: reading) else { return }
    makeExtras().ledger.deadlinesFired(1, at: reading.wall, lateness: .zero)
    // The tick that is taken next is no deadline's.
    if let punctualUntil, punctualUntil > .past { self.punctualUntil = nil }
  }

  // MARK: Countdowns

  /// Moves the end of a countdown later, or earlier by a negative interval. Returns false if the countdown is over.
  ///
  /// If no time is left, the deadline of the end passes at once.
  package mutating func extendCountdown(by interval: Interval, at now: () -> ClockReading) -> Bool {
    guard recurrence.isCountdown else { return false }
    switch state {
    case .paused(.waiting):
      recurrence.extendCountdown(by: interval, at: since)
      deadlinesPassed(at: since)
      state = .paused(interrupted(at: since))
      return true
    case .armed, .dormant:
      let reading = now()
      deadlinesPassed(at: reading)
      guard recurrence.upcoming(at: reading) != nil else { return false }
      recurrence.extendCountdown(by: interval, at: reading)
      deadlinesPassed(at: reading)
      if state.isArmed { waitForNext(at: reading) } else { becomeDormant(at: reading) }
      return true
    case .consulting, .last, .paused, .completed, .finished:
      return false
    }
  }

  // MARK: Rescheduling

  var isReschedulable: Bool { !isFinished && !recurrence.isCountdown }

  /// Adopts another schedule if both have no more than a deadline and a spacing, the timer has yet to fire and the new
  /// deadline isn't earlier than the present one. Returns whether it has done so.
  ///
  /// So a timeout that is restarted needs to be filed only once.
  package mutating func postpone(_ bound: borrowing BoundSchedule) -> Bool {
    guard state.isArmed, !ledger.hasFired, indexLimit == .max, bound.limit == .max,
      let (old, new) = recurrence.deadlines(before: bound.recurrence), new < .never,
      old + tolerance <= new + bound.tolerance
    else { return false }
    (recurrence, missedTicks, tolerance) = (bound.recurrence, bound.missedTicks, bound.tolerance)
    resumed = .past
    return true
  }

  /// Adopts another schedule in place of the present one and its ticks. Returns the rule of the old schedule.
  ///
  /// A countdown keeps its schedule.
  package mutating func reschedule(
    _ bound: consuming BoundSchedule, at reading: @autoclosure () -> ClockReading
  ) -> (any TickRule)? {
    guard isReschedulable else { return nil }
    let wasPaused = publicState == .paused
    let rule = adopt(bound)
    if wasPaused {
      let reading = reading()
      begin(at: reading)
      pauseBeginning(at: reading)
    } else {
      begin(at: reading())
    }
    return rule
  }
}
