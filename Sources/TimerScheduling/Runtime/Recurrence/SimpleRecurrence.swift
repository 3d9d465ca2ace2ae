/// A recurrence that fits in two words: a single deadline, or deadlines on the monotonic clock at even spacing,
/// without jitter and without an end.
///
/// Most timers use it. ``Recurrence`` documents the operations; this type does the same in less memory.
package enum SimpleRecurrence: Sendable {
  /// One deadline, which is still ahead.
  case once(Deadline)
  /// Deadlines at even spacing on the monotonic clock.
  case every(Interval, next: Deadline)
  /// The single deadline has passed.
  case passed
  /// The timer has fired for its single deadline, at a moment of the wall clock, and no task has asked for the tick.
  case fired(at: Deadline, lateness: Interval)
  /// As `fired`, and the tick was taken.
  case taken(at: Deadline, lateness: Interval)

  /// Binds a cadence to the clocks. Returns nil if the cadence needs a ``Recurrence``.
  init?(_ cadence: TimerSchedule.Cadence, at now: Deadline) {
    switch cadence {
    case .once(let delay): self = .once(now + delay)
    case .onceAt(let date): self = .once(Deadline(date))
    case .every(let interval, .afterInterval): self = .every(interval, next: now + interval)
    case .every(let interval, .immediately): self = .every(interval, next: now)
    case .every(let interval, .after(let delay)): self = .every(interval, next: now + Interval(delay))
    case .every, .countdown, .rule: return nil
    }
  }

  /// The spacing of the deadlines, if there are several.
  var interval: Interval? {
    switch self {
    case .every(let interval, _): interval
    case .once, .passed, .fired, .taken: nil
    }
  }

  /// The next deadline, or nil if it has passed.
  var next: Deadline? {
    switch self {
    case .once(let next), .every(_, let next): next
    case .passed, .fired, .taken: nil
    }
  }
}

extension TimerSchedule.Cadence {
  /// The clock of the deadlines.
  var timeline: Timeline {
    switch self {
    case .onceAt, .every(_, .at), .every(_, .aligned), .rule: .wall
    case .once, .every, .countdown: .monotonic
    }
  }
}

extension Recurrence {
  /// Creates the equivalent of a simple recurrence on its clock.
  init(_ simple: SimpleRecurrence, on timeline: Timeline) {
    let sequence = DeadlineSequence(simple: simple, on: timeline)
    switch simple {
    case .once, .every: self.init(sequence)
    case .passed, .fired, .taken: self.init(sequence, passed: 0)
    }
  }

  /// The recurrence in two words. It must have been simple before, and only time may have passed since.
  var simple: SimpleRecurrence {
    let next = sequence.deadline(next)
    guard let interval else { return next.map { .once($0) } ?? .passed }
    return .every(interval, next: next ?? .never)
  }
}
