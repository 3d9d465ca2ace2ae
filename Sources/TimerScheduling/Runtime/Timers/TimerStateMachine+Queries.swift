#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension TimerStateMachine {
  /// The deadline for which the timer must be fired, if there is one.
  package var filing: Filing? {
    let due = due
    guard due < .never else { return nil }
    return Filing(timeline: recurrence.timeline, deadline: due, latest: due + tolerance)
  }

  /// The deadline for which the timer must be fired, or ``Deadline/never``.
  var due: Deadline {
    switch state {
    case .armed: recurrence.due
    case .dormant: recurrence.dueAtEnd
    case .consulting, .last, .paused, .completed, .finished: .never
    }
  }

  var takenCount: Int64 { ledger.takenCount }
  var isAtLimit: Bool { ledger.takenCount >= indexLimit }
  /// Whether the dates come from a rule.
  package var isByRule: Bool { recurrence.isByRule }

  /// Returns whether a listener that asks for a tick now must wait for one.
  package func mustWait(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last: !owes(cursor)
    case .consulting, .paused: true
    case .dormant, .completed, .finished: false
    }
  }

  /// Returns whether asking for a tick now may return one.
  package func canTake(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last, .completed: owes(cursor)
    case .dormant: true
    case .consulting, .paused, .finished: false
    }
  }

  /// Returns whether there is a tick that the listener hasn't taken.
  package func owes(_ cursor: TickCursor) -> Bool {
    ledger.owes(cursor, missedTicks, below: indexLimit)
  }

  package var isFinished: Bool { finishReason != nil }

  package var finishReason: TimerFinishReason? {
    switch state {
    case .completed: .completed
    case .finished(let reason): reason
    case .armed, .dormant, .consulting, .last, .paused: nil
    }
  }

  package var publicState: TimerState {
    switch state {
    case .armed, .dormant, .consulting, .last: .scheduled
    case .paused: .paused
    case .completed: .finished(.completed)
    case .finished(let reason): .finished(reason)
    }
  }

  /// Whether the timer has ended for a reason for which a running action is cancelled.
  package var cancelsRunningAction: Bool {
    switch state {
    case .finished(.cancelled), .finished(.replaced), .finished(.ownerReleased): true
    case .armed, .dormant, .consulting, .last, .paused, .completed, .finished: false
    }
  }

  /// Returns the time until the next deadline or, for a paused timer, the time that will be left.
  ///
  /// Returns nil if there is no deadline, or none is known until a rule has been asked.
  package func remainingTime(at reading: ClockReading) -> Interval? {
    switch state {
    case .armed, .dormant: return upcoming(at: reading).map { remaining(until: $0, at: reading) }
    case .paused(.waiting):
      guard recurrence.isBoundToDates else {
        return recurrence.upcoming(at: since).map { remaining(until: $0, at: since) }
      }
      var resumed = recurrence.inFull
      resumed.skip(from: since, to: reading)
      return resumed.upcoming(at: reading).map { remaining(until: $0, at: reading) }
    case .consulting, .last, .paused, .completed, .finished: return nil
    }
  }

  /// Returns the next deadline of a timer that isn't paused. Nil until a rule has been asked.
  private func upcoming(at reading: ClockReading) -> Deadline? {
    switch state {
    case .armed: due
    case .dormant where !isByRule: recurrence.firstDeadline(after: reading)
    case .dormant, .consulting, .last, .paused, .completed, .finished: nil
    }
  }

  /// Returns the date of the next deadline. Nil while paused, as the date depends on when the timer is resumed.
  package func nextDate(at reading: ClockReading) -> Date? {
    switch state {
    case .armed, .dormant:
      guard let due = upcoming(at: reading), due < .never else { return nil }
      let wall = reading.moved(to: due, on: recurrence.timeline).wall
      return wall < .never ? Date(wall) : nil
    case .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  /// Returns the dates of the deadlines ahead. Nil while paused, as they depend on when the timer is resumed.
  func datesAhead(at reading: ClockReading) -> DatesAhead? {
    switch state {
    case .armed:
      return DatesAhead(
        of: recurrence.inFull, from: reading, most: indexLimit - takenCount, missedTicks: missedTicks)
    case .dormant:
      // The tick yet to be taken is that of the newest deadline.
      var recurrence = recurrence.inFull
      _ = recurrence.pass(at: reading)
      return DatesAhead(
        of: recurrence, from: reading, most: indexLimit - takenCount - 1, missedTicks: missedTicks)
    case .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  private func remaining(until due: Deadline, at reading: ClockReading) -> Interval {
    due < .never ? max(due - reading[recurrence.timeline], .zero) : .max
  }

  /// Returns the scale of a countdown and its elapsed time.
  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    switch state {
    case .paused: recurrence.countdown(at: since)
    case .armed, .dormant, .consulting, .last, .completed, .finished: recurrence.countdown(at: reading)
    }
  }
}
