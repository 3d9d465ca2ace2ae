#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The dates of a recurrence from a moment on, each computed when it is asked for.
///
/// They are the dates of a timer whose ticks are taken in time. A tick that is due by the moment has that moment's
/// date.
package struct DatesAhead: Sequence, IteratorProtocol, Sendable {
  private var recurrence: FullRecurrence
  /// The starting moment, or that of the last computed date.
  private var now: ClockReading
  private var remainingCount: Int64
  private let missedTicks: MissedTickBehavior

  /// Creates the dates of a timer made with a schedule at `date`, without its jitter. A rule is asked for its first
  /// date.
  ///
  /// If the clock can't hold that moment, it holds no deadline that is counted from there. The others come from the
  /// clock's beginning on.
  package init(of schedule: TimerSchedule, from date: Date) {
    let start = Deadline(date)
    now = ClockReading(monotonic: start, wall: start)
    var options = schedule.options
    options.jitter = .zero
    recurrence = FullRecurrence(
      DeadlineSequence(schedule.cadence, at: now), options: options, jitterSeed: 0)
    remainingCount = options.limit.map { Int64($0) } ?? .max
    missedTicks = options.missedTicks
    if start == .past {
      if recurrence.timeline == .monotonic { remainingCount = 0 }
      _ = recurrence.pass(at: now)
    }
  }

  /// Creates the dates of a recurrence that is under way, at most `count` of them.
  init(
    of recurrence: FullRecurrence, from now: ClockReading, most count: Int64, missedTicks: MissedTickBehavior
  ) {
    self.recurrence = recurrence
    self.now = now
    remainingCount = count
    self.missedTicks = missedTicks
  }

  /// Returns the next date, or nil if there is none. Calls a rule.
  package mutating func next() -> Date? {
    guard remainingCount > 0 else { return nil }
    if !recurrence.hasDate, let query = recurrence.query(at: now, missedTicks: missedTicks) {
      recurrence.adopt(query.ask())
    }
    guard let due = recurrence.upcoming(at: now).map({ now.moved(to: $0, on: recurrence.timeline) }),
      due.wall < .never
    else {
      remainingCount = 0
      return nil
    }
    now = due
    _ = recurrence.pass(at: now)
    remainingCount -= 1
    return Date(now.wall)
  }
}
