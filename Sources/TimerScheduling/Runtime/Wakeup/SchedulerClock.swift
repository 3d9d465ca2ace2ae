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

  package init(monotonic: Deadline, wall: Deadline) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Returns whether the wall clock was set back since an earlier reading, and not only slewed.
  package func isSetBack(since earlier: ClockReading) -> Bool { isSetBack(sinceLead: earlier.wallLead) }

  /// Returns whether the wall clock was set back, and not only slewed, since it was ahead by `lead`.
  func isSetBack(sinceLead lead: Interval) -> Bool {
    wallLead.nanoseconds < lead.nanoseconds.subtractingSaturated(10_000_000)
  }

  /// The time by which the wall clock is ahead of the monotonic one.
  package var wallLead: Interval { wall - monotonic }

  /// Returns the reading when a deadline has come, or this one if it has.
  func moved(to due: Deadline, on timeline: Timeline) -> ClockReading {
    let distance = max(due - self[timeline], .zero)
    // The distance on the wall clock may be longer than an interval.
    let wall = timeline == .wall ? max(due, wall) : wall + distance
    return ClockReading(monotonic: monotonic + distance, wall: wall)
  }

  package subscript(timeline: Timeline) -> Deadline {
    switch timeline {
    case .monotonic: monotonic
    case .wall: wall
    }
  }
}

/// A scheduler's source of time and of wakeups. Tests replace it to make time virtual.
package protocol SchedulerClock: Sendable {
  func read() -> ClockReading

  /// Reads the monotonic clock alone, in half the time.
  func readMonotonic() -> Deadline

  /// The cost of a wakeup. For a deadline closer than this the scheduler spins.
  var wakeupCost: Interval { get }

  /// The time from the removal of the last deadline until wakeups are disarmed. Timers are often made and ended in
  /// turns.
  var disarmDelay: Interval { get }

  /// The monitor of waiting and busy tasks. Nil if the clock doesn't depend on them.
  var monitor: (any ConsumerMonitor)? { get }

  /// The holder of the lifelines. Nil if timers keep themselves alive.
  var holder: (any LifelineHolder)? { get }

  /// Requests a pass of a scheduler. It is made on the scheduler's queue at once or, if time stands still, in the next
  /// move of the clock.
  func requestPass(of driver: TimerDriver)

  /// Has the owners of a driver's timers checked from now on: by the driver's passes or, if time stands still, by the
  /// clock.
  func watchOwners(of driver: TimerDriver)

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

  package func requestPass(of driver: TimerDriver) { driver.postPass() }

  package func watchOwners(of driver: TimerDriver) { driver.wake(.pass) }

  package func makeExecutor(label: String) -> QueueExecutor { QueueExecutor(label: label) }

  package var wakeupCost: Interval { .zero }

  package var disarmDelay: Interval { .zero }

  package func readMonotonic() -> Deadline { read().monotonic }
}

/// A source of one wakeup at a time.
///
/// It belongs to the scheduler's isolation. After its release it delivers no wakeup.
package protocol WakeupSource: AnyObject {
  /// Arms a wakeup at `deadline`, in place of an earlier one.
  func arm(at deadline: Deadline)

  /// Disarms the wakeup.
  func disarm()

  /// Notes that the wakeup was delivered, so nothing is armed. The scheduler calls this before any other method.
  func wakeupDelivered()
}
