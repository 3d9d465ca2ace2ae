/// A recurrence that fits in two words: a single deadline, or deadlines of the monotonic clock at even spacing, without
/// jitter and without an end.
///
/// Most timers have no other. ``Recurrence`` says what each operation means; this says the same in less room.
package enum SimpleRecurrence: Sendable {
  /// One deadline, which is yet to come.
  case once(Deadline)
  /// Deadlines at even spacing on the monotonic clock.
  case every(Interval, next: Deadline)
  /// The single deadline has passed.
  case passed
  /// The timer has fired for its single deadline, at a moment of the wall clock, and no task has asked for the tick.
  case fired(at: Deadline, lateness: Interval)
  /// The same, and the tick was taken.
  case taken(at: Deadline, lateness: Interval)

  /// Binds a cadence to the clocks. Returns nil for one that needs an ``Recurrence``.
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

  var isOnce: Bool { interval == nil }

  /// When the next deadline is due.
  var next: Deadline? {
    switch self {
    case .once(let next), .every(_, let next): next
    case .passed, .fired, .taken: nil
    }
  }
}

extension TimerSchedule.Cadence {
  /// The clock on which the deadlines are.
  var timeline: Timeline {
    switch self {
    case .onceAt, .every(_, .at), .every(_, .aligned), .rule: .wall
    case .once, .every, .countdown: .monotonic
    }
  }
}

extension Recurrence {
  /// The same recurrence, on its clock.
  init(_ simple: SimpleRecurrence, on timeline: Timeline) {
    let sequence = DeadlineSequence(simple: simple, on: timeline)
    switch simple {
    case .once, .every: self.init(sequence)
    case .passed, .fired, .taken: self.init(sequence, passed: 0)
    }
  }

  /// The same recurrence in two words, of one that was simple and on which only time has passed.
  var simple: SimpleRecurrence {
    let next = sequence.deadline(next)
    guard let interval else { return next.map { .once($0) } ?? .passed }
    return .every(interval, next: next ?? .never)
  }
}
