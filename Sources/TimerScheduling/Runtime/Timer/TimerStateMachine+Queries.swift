#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TimerStateMachine {
  package var publicState: TimerState {
    switch state {
    case .armed, .dormant, .consulting, .last: .scheduled
    case .paused: .paused
    case .completed: .finished(.completed)
    case .finished(let reason): .finished(reason)
    }
  }

  /// Whether the end is one that an action under way is told of.
  package var cancelsRunningAction: Bool {
    switch state {
    case .finished(.cancelled), .finished(.replaced), .finished(.ownerReleased): true
    case .armed, .dormant, .consulting, .last, .paused, .completed, .finished: false
    }
  }

  /// The time until the next deadline, which for a paused timer is the time that will be left.
  ///
  /// Nil where there is no deadline, or none is known until a rule has been asked.
  package mutating func remainingTime(at reading: ClockReading) -> Interval? {
    switch state {
    case .armed: return remaining(until: due, at: reading)
    case .dormant where !isByRule:
      return recurrence.firstDeadline(after: reading).map { remaining(until: $0, at: reading) }
    case .paused(.waiting):
      guard let since = details?.since else { return nil }
      guard recurrence.isBoundToDates else {
        return recurrence.upcoming(at: since).map { remaining(until: $0, at: since) }
      }
      var resumed = recurrence
      resumed.skip(from: since, to: reading)
      return resumed.upcoming(at: reading).map { remaining(until: $0, at: reading) }
    case .dormant, .consulting, .last, .paused, .completed, .finished: return nil
    }
  }

  /// When the next deadline is due. Nil while paused, as it depends on when the timer is resumed.
  mutating func nextDate(at reading: ClockReading) -> Date? {
    switch state {
    case .armed, .dormant:
      guard let remaining = remainingTime(at: reading), remaining < .max else { return nil }
      return Date(reading.wall + remaining)
    case .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  /// The dates of the deadlines ahead. None while paused, as they depend on when the timer is resumed.
  mutating func datesAhead(at reading: ClockReading) -> DatesAhead? {
    switch state {
    case .armed:
      return DatesAhead(
        of: recurrence, from: reading, most: indexLimit - takenCount, missedTicks: missedTicks)
    case .dormant:
      // The tick that is untaken is that of the newest deadline.
      var recurrence = recurrence
      _ = recurrence.pass(at: reading)
      return DatesAhead(
        of: recurrence, from: reading, most: indexLimit - takenCount - 1, missedTicks: missedTicks)
    case .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  private func remaining(until due: Deadline, at reading: ClockReading) -> Interval {
    due < .never ? max(due - reading[timeline], .zero) : .max
  }

  /// What a countdown counts, and how much of it has elapsed.
  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    guard let details, let recurrence = details.recurrence?.value else { return nil }
    return switch state {
    case .paused: recurrence.countdown(at: details.since)
    case .armed, .dormant, .consulting, .last, .completed, .finished: recurrence.countdown(at: reading)
    }
  }
}
