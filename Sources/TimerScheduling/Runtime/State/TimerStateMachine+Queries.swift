package import TimerSchedulingFoundation

extension TimerStateMachine {
  package var filing: Filing? {
    let due = due
    guard due < .never else { return nil }
    return Filing(timeline: timeline, deadline: due, latest: due + tolerance)
  }

  var due: Deadline {
    switch state {
    case .armed(let due, _, _), .dormant(let due): due
    case .asking, .last, .paused, .completed, .finished: .never
    }
  }

  var takenCount: Int64 { ledger.takenCount }
  var isAtLimit: Bool { ledger.takenCount >= indexLimit }
  package var isByRule: Bool { extras?.recurrence.isByRule ?? false }

  /// The cursor before which no listener that asks for a tick must wait for one.
  var readyBefore: TickCursor {
    switch state {
    case .armed, .last: owedBefore
    case .asking, .paused: .start
    case .dormant, .completed, .finished: .end
    }
  }

  /// The cursor before which there is a tick that the listener hasn't taken.
  var owedBefore: TickCursor { ledger.owedBefore(missedTicks, below: indexLimit) }

  package func mustWait(_ cursor: TickCursor) -> Bool { cursor >= readyBefore }

  package func owes(_ cursor: TickCursor) -> Bool { cursor < owedBefore }

  /// Returns whether asking for a tick now may return one.
  package func canTake(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last, .completed: owes(cursor)
    case .dormant: true
    case .asking, .paused, .finished: false
    }
  }

  /// Returns the number of missed deadlines. While the action runs, it includes those that the tick after the
  /// run will report, as far as they are known: a rule's dates aren't.
  package func missedCount(at reading: ClockReading, whileRunning isRunning: Bool) -> Int64 {
    // Under `.burst`, each deadline that passes meanwhile has a tick of its own.
    guard isRunning, missedTicks != .burst else { return ledger.totalMissedCount }
    switch state {
    case .dormant:
      var (recurrence, count) = followed(at: reading)
      count += recurrence.pass(at: reading)?.count ?? 0
      return ledger.missedCount(passing: count)
    case .armed, .asking, .last, .paused, .completed, .finished: return ledger.missedCount(passing: 0)
    }
  }

  /// Whether the timer completes as soon as no listener is owed a tick and no action runs.
  var isEnding: Bool {
    switch state {
    case .last, .paused(.last): true
    case .armed, .dormant, .asking, .paused, .completed, .finished: false
    }
  }

  package var isFinished: Bool { finishReason != nil }

  package var finishReason: TimerFinishReason? {
    switch publicState {
    case .finished(let reason): reason
    case .scheduled, .paused: nil
    }
  }

  package var publicState: TimerState {
    switch state {
    case .armed, .dormant, .asking, .last: .scheduled
    case .paused: .paused
    case .completed: .finished(.completed)
    case .finished(let reason): .finished(reason)
    }
  }

  /// Whether the timer has ended for a reason for which a running action is cancelled.
  package var cancelsRunningAction: Bool {
    switch state {
    case .finished(.cancelled), .finished(.replaced), .finished(.ownerReleased): true
    case .armed, .dormant, .asking, .last, .paused, .completed, .finished: false
    }
  }

  /// Returns the time until the next deadline or, for a paused timer, the time that will be left.
  ///
  /// Returns nil if there is no deadline, or none is known until a rule has been asked.
  package func remainingTime(at reading: ClockReading) -> Interval? {
    switch state {
    case .paused(.waiting):
      var resumed = recurrence
      guard resumed.isBoundToDates else {
        return resumed.upcoming(at: since).map { remaining(until: $0, at: since) }
      }
      resumed.skip(from: since, to: reading)
      return resumed.upcoming(at: reading).map { remaining(until: $0, at: reading) }
    case .armed, .dormant, .asking, .last, .paused, .completed, .finished:
      return upcoming(at: reading).map { remaining(until: $0, at: reading) }
    }
  }

  /// Returns the deadlines after a wall clock that was set back, and the number of those that have passed
  /// before.
  private func followed(at reading: ClockReading) -> (recurrence: Recurrence, passedCount: Int64) {
    var recurrence = recurrence
    let passed = recurrence.follow(reading, since: since)?.passed
    return (recurrence, passed?.count ?? 0)
  }

  /// Returns the next deadline of a timer that isn't paused. Nil until a rule has been asked.
  private func upcoming(at reading: ClockReading) -> Deadline? {
    switch state {
    case .armed where extras == nil: return due
    case .armed, .dormant:
      var later = followed(at: reading).recurrence
      if case .dormant = state { _ = later.pass(at: reading) }
      return later.hasDate ? later.upcoming(at: reading) : nil
    case .asking, .last, .paused, .completed, .finished: return nil
    }
  }

  /// Returns the date of the next deadline. Nil while paused, as the date depends on when the timer is
  /// resumed.
  package func nextDate(at reading: ClockReading) -> Date? {
    guard let due = upcoming(at: reading), due < .never else { return nil }
    let wall = reading.moved(to: due, on: timeline).wall
    return wall < .never ? Date(wall) : nil
  }

  /// Returns the dates of the deadlines ahead. Nil while paused, as they depend on when the timer is resumed.
  func datesAhead(at reading: ClockReading) -> DatesAhead? {
    var recurrence = followed(at: reading).recurrence
    switch state {
    case .armed:
      return DatesAhead(recurrence: recurrence, now: reading, remainingCount: indexLimit - takenCount)
    case .dormant:
      // The tick yet to be taken is that of the newest deadline.
      _ = recurrence.pass(at: reading)
      return DatesAhead(recurrence: recurrence, now: reading, remainingCount: indexLimit - takenCount - 1)
    case .asking, .last, .paused, .completed, .finished:
      return nil
    }
  }

  private func remaining(until due: Deadline, at reading: ClockReading) -> Interval {
    due < .never ? max(due - reading[timeline], .zero) : .max
  }

  /// Returns the scale of a countdown and its elapsed time. Once its end has come, that is at least the whole
  /// time, whatever becomes of the clock.
  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    let countdown = recurrence.countdown(at: publicState == .paused ? since : reading)
    switch state {
    case .last, .paused(.last), .completed:
      return countdown.map { ($0.scale, max($0.elapsed, $0.scale.total)) }
    case .armed, .dormant, .asking, .paused, .finished: return countdown
    }
  }

  /// The schedule, as it was given, with its tolerance. Nil for a single deadline that has passed.
  var schedule: TimerSchedule? {
    switch state {
    case .armed(let due, let delay, let timeline) where extras == nil:
      var single = TimerSchedule(cadence: timeline == .wall ? .onceAt(due.date) : .once(after: delay))
      single.options.missedTicks = missedTicks
      single.options.tolerance = tolerance > .zero ? tolerance : nil
      return single
    case .last, .paused(.last), .completed: return recurrence.isOnce ? nil : extras?.recurrence.schedule
    case .armed, .dormant, .asking, .paused, .finished: return extras?.recurrence.schedule
    }
  }
}
