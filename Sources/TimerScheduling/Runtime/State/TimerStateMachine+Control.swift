extension TimerStateMachine {
  /// Pauses the timer until it is resumed or, with `inScope`, until as many scopes have ended as have begun.
  package mutating func pause(inScope: Bool = false, at now: () -> ClockReading) {
    let extras = makeExtras()
    if inScope { extras.pausingScopeCount += 1 } else { extras.isPausedByCall = true }
    switch state {
    case .armed, .dormant, .asking:
      let reading = now()
      follow(reading)
      // Deadlines before the pause have fired, even if the scheduler hasn't handled them yet.
      deadlinesPassed(extras, at: reading)
      pause(interrupted(at: reading), at: reading)
    case .last:
      pause(.last, at: now())
    case .paused, .completed, .finished:
      break
    }
  }

  private mutating func pause(_ interrupted: Interrupted, at reading: ClockReading) {
    makeExtras().since = reading
    state = .paused(interrupted)
  }

  private mutating func interrupted(at reading: ClockReading) -> Interrupted {
    let extras = makeExtras()
    return isByRule || extras.recurrence.upcoming(at: reading) != nil ? .waiting : .last
  }

  package mutating func pauseAtStart(at reading: ClockReading) {
    makeExtras().isPausedByCall = true
    pauseBeginning(at: reading)
  }

  /// Pauses a timer whose schedule begins now. The whole schedule is still ahead, even if it is already due.
  private mutating func pauseBeginning(at reading: ClockReading) {
    switch state {
    case .armed: pause(.waiting, at: reading)
    case .last: pause(.last, at: reading)
    case .dormant, .asking, .paused, .completed, .finished: break
    }
  }

  /// Resumes a paused timer, unless a scope keeps it paused. With `endingScope`, a scope ends, and the timer
  /// is resumed after the last, unless a call has paused it.
  package mutating func resume(
    _ behavior: ResumeBehavior, endingScope: Bool = false, at now: () -> ClockReading
  ) {
    guard let extras else { return }
    if endingScope { extras.pausingScopeCount -= 1 } else { extras.isPausedByCall = false }
    guard !extras.isPausedByCall, extras.pausingScopeCount == 0 else { return }
    switch state {
    case .paused(.waiting): rejoin(behavior, at: now())
    case .paused(.last): state = .last()
    case .armed, .dormant, .asking, .last, .completed, .finished:
      break
    }
  }

  private mutating func rejoin(_ behavior: ResumeBehavior, at reading: ClockReading) {
    let extras = makeExtras()
    let since = extras.since
    if reading.isSetBack(since: since) { extras.ledger.clockSetBack() }
    switch behavior {
    case .keepingRemainingTime:
      if !extras.recurrence.postpone(from: since, to: reading) {
        extras.recurrence.skip(from: since, to: reading)
      }
    case .keepingPhase:
      extras.recurrence.skip(from: since, to: reading)
    case .immediately:
      if !extras.recurrence.isOver(at: reading) {
        extras.ledger.deadlinesFired(1, at: reading.wall, lateness: .zero)
      }
      if extras.recurrence.isOnce {
        state = .last()
        return
      }
      extras.recurrence.skip(from: since, to: reading)
      extras.recurrence.restart(at: reading)
      extras.punctualUntil = nil
    }
    waitOn(extras, at: reading)
    wasResumed(at: reading[timeline])
  }

  /// Notes that the timer was resumed. The lateness of a deadline that had passed by then counts from then
  /// on, as does that of a tick that is yet to be taken.
  mutating func wasResumed(at moment: Deadline) {
    let extras = makeExtras()
    if let moved = extras.punctualUntil, moved > .past { extras.punctualUntil = max(moved, moment) }
    switch state {
    case .armed(let due, _, _): if due < moment { extras.resumed = moment }
    case .dormant, .asking, .last, .paused, .completed, .finished: break
    }
  }

  /// Makes a tick, and leaves the deadlines unchanged. For a timer with one deadline, this is its tick.
  package mutating func fireByHand(at now: () -> ClockReading) {
    switch state {
    case .armed, .dormant, .asking:
      let (extras, reading) = (makeExtras(), now())
      follow(reading)
      // Deadlines that are already due come first.
      deadlinesPassed(extras, at: reading)
      if isArmed { waitOn(extras, at: reading) }
      tickByHand(at: reading)
    case .last, .paused, .completed, .finished:
      break
    }
  }

  private var isArmed: Bool { if case .armed = state { true } else { false } }

  /// Waits for the next deadline, after deadlines may have passed, or for a task that asks the rule for it.
  private mutating func waitOn(_ extras: TimerExtras, at reading: ClockReading) {
    if isByRule, !extras.recurrence.hasDate {
      extras.since = reading
      state = .dormant(last: .never)
    } else {
      waitForNext(extras, at: reading)
    }
  }

  private mutating func tickByHand(at reading: ClockReading) {
    let extras = makeExtras()
    switch state {
    case .armed where extras.recurrence.isOnce: state = .last()
    case .armed, .dormant, .asking: break
    case .last, .paused, .completed, .finished: return
    }
    guard !extras.recurrence.isOver(at: reading) else { return }
    extras.ledger.deadlinesFired(1, at: reading.wall, lateness: .zero)
    // The tick that is taken next is no deadline's.
    if let punctualUntil = extras.punctualUntil, punctualUntil > .past { extras.punctualUntil = nil }
  }

  /// Moves the end of a countdown later, or earlier by a negative interval. Returns false if the countdown is
  /// over.
  ///
  /// If no time is left, the deadline of the end passes at once.
  package mutating func extendCountdown(by interval: Interval, at now: () -> ClockReading) -> Bool {
    guard let extras, extras.recurrence.isCountdown else { return false }
    switch state {
    case .paused(.waiting):
      let since = extras.since
      extras.recurrence.extendCountdown(by: interval, at: since)
      deadlinesPassed(extras, at: since)
      state = .paused(interrupted(at: since))
      return true
    case .armed, .dormant:
      let reading = now()
      follow(reading)
      deadlinesPassed(extras, at: reading)
      guard extras.recurrence.upcoming(at: reading) != nil else {
        state = .last()
        return false
      }
      extras.recurrence.extendCountdown(by: interval, at: reading)
      deadlinesPassed(extras, at: reading)
      if isArmed { waitForNext(extras, at: reading) } else { becomeDormant(extras, at: reading) }
      return true
    case .asking, .last, .paused, .completed, .finished:
      return false
    }
  }

  var isReschedulable: Bool { !isFinished && extras?.recurrence.isCountdown != true }

  /// Adopts another delay if the timer waits for one without extras and the new deadline isn't earlier than
  /// the present one. Returns whether it has done so.
  ///
  /// So a timeout that is restarted needs to be filed only once.
  package mutating func postpone(
    by delay: Interval, _ options: TimerSchedule.Options, defaultTolerance: Interval, at now: Deadline
  ) -> Bool {
    let new = now + delay
    guard extras == nil, options.isPlain, case .armed(let old, _, .monotonic) = state, new < .never,
      case let next = options.tolerance ?? defaultTolerance, let short = next.wholeMicroseconds,
      old + tolerance <= new + next
    else { return false }
    (missedTicks, shortTolerance) = (options.missedTicks, short)
    state = .armed(new, after: delay, on: .monotonic)
    return true
  }

  /// Adopts another schedule in place of the present one and its ticks, except for a countdown. Returns the
  /// old rule.
  package mutating func reschedule(
    _ next: borrowing Recurrence, at reading: @autoclosure () -> ClockReading
  ) -> (any TickRule)? {
    guard isReschedulable else { return nil }
    guard publicState == .paused else { return adopt(next, at: reading()) }
    let reading = reading()
    let rule = adopt(next, at: reading)
    pauseBeginning(at: reading)
    return rule
  }
}
