/// One of the two clocks for deadlines.
package enum Timeline: Sendable, Hashable {
  /// Counts while the machine runs, even if the wall clock is set.
  case monotonic
  /// The date and time, which can be set.
  case wall
}

/// The times of both clocks at one moment.
package struct ClockReading: Sendable, Hashable {
  package var monotonic: Deadline
  package var wall: Deadline
  /// A moment of the monotonic clock at or before the one at which the wall clock was set last, as far as is
  /// known.
  package var setAfter = Deadline.past

  package init(monotonic: Deadline, wall: Deadline) { (self.monotonic, self.wall) = (monotonic, wall) }

  /// Returns whether the wall clock was set back since an earlier reading, and not only slewed.
  package func isSetBack(since earlier: ClockReading) -> Bool { isSetBack(sinceLead: earlier.wallLead) }

  /// Returns whether the wall clock was set back, and not only slewed, since it was ahead by `lead`. A clock
  /// at its last moment, in the year 2262, stands there.
  func isSetBack(sinceLead lead: Interval) -> Bool {
    wall < .never && wallLead.nanoseconds < lead.nanoseconds.subtractingSaturated(10_000_000)
  }

  package var wallLead: Interval { wall - monotonic }

  /// Returns the readings just before and just after the wall clock was set back since `earlier`, as late as
  /// that is certain. Returns nil if it wasn't set back.
  func setBack(since earlier: ClockReading) -> (before: ClockReading, after: ClockReading)? {
    guard isSetBack(since: earlier) else { return nil }
    let moment = max(earlier.monotonic, min(setAfter, monotonic))
    return (
      ClockReading(monotonic: moment, wall: earlier.wall + (moment - earlier.monotonic)),
      ClockReading(monotonic: moment, wall: wall - (monotonic - moment))
    )
  }

  /// Returns the reading when a deadline has come, or this one if it has.
  func moved(to due: Deadline, on timeline: Timeline) -> ClockReading {
    let distance = due < .never ? max(due - self[timeline], .zero) : .max
    // The distance on the wall clock may be longer than an interval.
    let wall = timeline == .wall ? max(due, wall) : wall + distance
    return ClockReading(monotonic: monotonic + distance, wall: wall)
  }

  package subscript(timeline: Timeline) -> Deadline { timeline == .wall ? wall : monotonic }
}
