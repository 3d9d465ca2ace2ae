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

  package init(monotonic: Deadline, wall: Deadline) { (self.monotonic, self.wall) = (monotonic, wall) }

  /// Returns whether the wall clock was set back since an earlier reading, and not only slewed.
  package func isSetBack(since earlier: ClockReading) -> Bool { isSetBack(sinceLead: earlier.wallLead) }

  /// Returns whether the wall clock was set back, and not only slewed, since it was ahead by `lead`.
  func isSetBack(sinceLead lead: Interval) -> Bool {
    wallLead.nanoseconds < lead.nanoseconds.subtractingSaturated(10_000_000)
  }

  package var wallLead: Interval { wall - monotonic }

  /// Returns the reading when a deadline has come, or this one if it has.
  func moved(to due: Deadline, on timeline: Timeline) -> ClockReading {
    let distance = due < .never ? max(due - self[timeline], .zero) : .max
    // The distance on the wall clock may be longer than an interval.
    let wall = timeline == .wall ? max(due, wall) : wall + distance
    return ClockReading(monotonic: monotonic + distance, wall: wall)
  }

  package subscript(timeline: Timeline) -> Deadline { timeline == .wall ? wall : monotonic }
}
