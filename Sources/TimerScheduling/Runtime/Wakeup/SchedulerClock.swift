/// One of the two clocks on which deadlines lie.
package enum Timeline: Sendable, Hashable {
  /// Counts while the machine runs, whatever is done to the wall clock.
  case monotonic
  /// The date and time, which can be set.
  case wall
}

/// What both clocks showed at one moment.
package struct ClockReading: Sendable, Hashable {
  package var monotonic: Deadline
  package var wall: Deadline

  package init(monotonic: Deadline, wall: Deadline) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Whether the wall clock was set back since an earlier reading, and not only slewed.
  package func isSetBack(since earlier: ClockReading) -> Bool {
    wallLead.nanoseconds < earlier.wallLead.nanoseconds.subtractingSaturated(10_000_000)
  }

  /// How far the wall clock is ahead of the monotonic one.
  package var wallLead: Interval { wall - monotonic }

  package subscript(timeline: Timeline) -> Deadline {
    switch timeline {
    case .monotonic: monotonic
    case .wall: wall
    }
  }
}

/// Where a scheduler takes the time from, and who wakes it: the one seam for time that isn't real.
package protocol SchedulerClock: Sendable {
  func read() -> ClockReading

  /// What the monotonic clock shows, in half the time.
  func readMonotonic() -> Deadline

  /// A deadline that is less than this away is waited for, as to be woken for it takes more.
  var wakeupCost: Interval { get }

  /// How long after the last deadline is gone the wakeups are disarmed, as timers are often made and ended by turns.
  var patience: Interval { get }

  /// Is told of those who wait for timers, where the clock goes by them.
  var monitor: (any ConsumerMonitor)? { get }

  /// Holds what keeps timers alive, where they don't do so themselves.
  var holder: (any LifelineHolder)? { get }

  /// Returns the executor for a scheduler on this clock.
  func makeExecutor(label: String) -> QueueExecutor

  /// Returns a source that calls `onWakeup` on `executor` when an armed deadline has come.
  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource
}

extension SchedulerClock {
  package var monitor: (any ConsumerMonitor)? { nil }

  package var holder: (any LifelineHolder)? { nil }

  package func makeExecutor(label: String) -> QueueExecutor { QueueExecutor(label: label) }

  package var wakeupCost: Interval { .zero }

  package var patience: Interval { .zero }

  package func readMonotonic() -> Deadline { read().monotonic }
}

/// Asks for one wakeup at a time.
///
/// Belongs to the scheduler's isolation. When released it wakes nobody any more.
package protocol WakeupSource: AnyObject {
  /// Asks for a wakeup at `deadline`, in place of an earlier request.
  func arm(at deadline: Deadline)

  /// Asks for no wakeup.
  func disarm()

  /// The wakeup has been delivered, so nothing is armed. The scheduler says so before anything else.
  func wakeupDelivered()
}
