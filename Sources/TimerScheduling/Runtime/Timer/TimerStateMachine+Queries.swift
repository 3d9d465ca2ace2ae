#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TimerStateMachine {
  package var publicState: TimerState {
    switch state {
    case .armed, .parked, .consulting, .last: .scheduled
    case .paused: .paused
    case .completed: .finished(.completed)
    case .finished(let reason): .finished(reason)
    }
  }

  /// Whether the end is one that an action under way is told of.
  package var cancelsRunningAction: Bool {
    switch state {
    case .finished(.cancelled), .finished(.replaced), .finished(.ownerReleased): true
    case .armed, .parked, .consulting, .last, .paused, .completed, .finished: false
    }
  }

  /// The time until the next deadline, which for a paused timer is the time that will be left.
  ///
  /// Nil where there is no deadline, or none is known until a rule has been asked.
  package mutating func remainingTime(at reading: ClockReading) -> Interval? {
    switch state {
    case .armed(let due): return remaining(until: due, at: reading)
    case .parked where !agenda.isByRule:
      return agenda.firstDeadline(after: reading).map { remaining(until: $0, at: reading) }
    case .paused(let since, .waiting):
      guard agenda.isBoundToDates else {
        return agenda.upcoming(at: since).map { remaining(until: $0, at: since) }
      }
      var resumed = agenda
      resumed.skip(from: since, to: reading)
      return resumed.upcoming(at: reading).map { remaining(until: $0, at: reading) }
    case .parked, .consulting, .last, .paused, .completed, .finished: return nil
    }
  }

  /// When the next deadline is due. Nil while paused, as it depends on when the timer is resumed.
  mutating func nextDate(at reading: ClockReading) -> Date? {
    switch state {
    case .armed, .parked:
      guard let remaining = remainingTime(at: reading), remaining < .max else { return nil }
      return Date(reading.wall + remaining)
    case .consulting, .last, .paused, .completed, .finished:
      return nil
    }
  }

  private func remaining(until due: Deadline, at reading: ClockReading) -> Interval {
    due < .never ? max(due - reading[agenda.timeline], .zero) : .max
  }

  /// What a countdown counts, and how much of it has elapsed.
  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    switch state {
    case .paused(let since, _): agenda.countdown(at: since)
    case .armed, .parked, .consulting, .last, .completed, .finished: agenda.countdown(at: reading)
    }
  }
}
