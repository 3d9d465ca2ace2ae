/// A deadline in a ``DeadlineQueue``.
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
}

/// The result of a change of a shard.
enum FilingOutcome: Sendable {
  /// Nothing else needs to be done.
  case done
  /// The driver must be woken, unless it looks before the entry must be taken.
  case earliest
  /// No deadline is left.
  case emptied
  /// No entry is left, and there is memory to free.
  case retired
  /// The shard is closed.
  case closed
}
