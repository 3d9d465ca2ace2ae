extension TimerStateMachine {
  // MARK: Firing

  package enum FireAction: Equatable {
    case none
    /// There is a tick to take for waiting listeners.
    case wakeListeners
  }

  /// Fires the timer, which the deadline queue has found due. `isAwaited` tells whether a listener is waiting for a
  /// tick.
  package mutating func fire(at reading: ClockReading, isAwaited: Bool) -> FireAction {
    switch state {
    case .armed:
      let now = reading[recurrence.timeline]
      guard recurrence.due <= now else { return .none }
      if fireOnce(at: reading) {
        state = .last
        return .wakeListeners
      }
      guard let passed = recurrence.pass(at: reading) else {
        // The wall clock was set beyond the date after which there are no more deadlines.
        state = .last
        return .wakeListeners
      }
      noteLatest(passed)
      let lateFrom = max(passed.newest, min(resumed, now))
      makeExtras().ledger.deadlinesFired(
        passed.count, at: reading.wall, lateness: now - lateFrom, pause: lateFrom - passed.newest)
      if isAwaited, !isByRule {
        fileNext(at: reading)
      } else {
        becomeDormant(at: reading)
      }
      return .wakeListeners
    case .dormant:
      guard due <= reading[recurrence.timeline] else { return .none }
      deadlinesPassed(at: reading)
      becomeDormant(at: reading)
      return .none
    case .consulting, .last, .paused, .completed, .finished:
      return .none
    }
  }

  // MARK: The wall clock

  package enum SetBackAction: Equatable {
    case none
    /// The rule must be asked again, off the driver's queue, with the query from ``consultAnew(at:)``.
    case consult
  }

  /// Handles a set-back of the wall clock, after which deadlines may come before the one the timer waits for.
  package mutating func wallClockSetBack(at reading: ClockReading) -> SetBackAction {
    switch state {
    case .armed:
      if isByRule { return .consult }
      // Even if the clock had been set back before the timer was resumed, the deadline may have passed by then.
      let resumed = resumed
      file(at: reading)
      if resumed > .past { wasResumed(at: min(resumed, reading[recurrence.timeline])) }
      return .none
    case .dormant, .consulting, .last, .paused, .completed, .finished:
      // The task that takes the tick or resumes the timer reads the clock.
      return .none
    }
  }
}

extension Filing {
  /// The delay for a timer that was fired and would be due again at once.
  private static let postponement = Interval(nanoseconds: 1_000_000)

  /// Returns the filing of a timer that was just fired: this one, if it is later than the firing.
  ///
  /// The machine guarantees that it is. This protects the queue if the guarantee is broken, as a pass would otherwise
  /// fire the timer again and again without end. Returns nil at the end of the clock's range, where no moment is
  /// later.
  package func following(_ firing: ClockReading) -> Filing? {
    let now = firing[timeline]
    guard deadline <= now else { return self }
    let later = now + Self.postponement
    guard later < .never else { return nil }
    return Filing(timeline: timeline, deadline: later, latest: max(latest, later))
  }
}
