package import TimerSchedulingFoundation

/// The dates of a recurrence from a moment on, if ticks are taken in time. One that is due has that date.
package struct DatesAhead: Sequence, IteratorProtocol, Sendable {
  var recurrence: Recurrence
  /// The starting moment, or that of the last computed date.
  var now: ClockReading
  var remainingCount: Int64

  /// Returns the next date. Calls a rule.
  package mutating func next() -> Date? {
    guard remainingCount > 0 else { return nil }
    if !recurrence.hasDate, let question = recurrence.question(at: now, missedTicks: recurrence.missedTicks) {
      recurrence.accept(question.ask())
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
