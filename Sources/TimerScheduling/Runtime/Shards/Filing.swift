package struct Filing: Sendable, Equatable {
  package var timeline: Timeline
  package var deadline: Deadline
  /// The moment by which the element must be taken, which isn't before the deadline.
  package var latest: Deadline

  package init(timeline: Timeline, deadline: Deadline, latest: Deadline) {
    self.timeline = timeline
    self.deadline = deadline
    self.latest = latest
  }

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

/// The number of a filing and the clock of its deadline, in one word.
package struct FilingNumber: Sendable {
  /// That of an element without a deadline.
  static let none = FilingNumber(.max, on: .monotonic)

  private var bits: UInt64

  init(_ number: UInt64, on timeline: Timeline) { bits = number << 1 | (timeline == .wall ? 1 : 0) }

  /// The number, which no other filing has.
  var number: UInt64 { bits >> 1 }
  package var timeline: Timeline { bits & 1 == 0 ? .monotonic : .wall }
  package var isFiled: Bool { number != Self.none.number }
}

/// The wakeup of the driver that follows a change of its queue.
package enum QueueWakeup: Sendable {
  case none
  /// A pass, unless one comes before the moment.
  case before(Deadline, on: Timeline)
  /// A pass, if no deadline is left.
  case disarm
  /// As `disarm`, and memory must be freed.
  case free

  /// The wakeup to request during a pass. A pass computes its next wakeup itself, but frees no memory.
  var duringPass: QueueWakeup {
    switch self {
    case .free: .free
    case .none, .before, .disarm: .none
    }
  }
}
