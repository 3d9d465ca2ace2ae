package import TimerSchedulingFoundation

/// A scheduler's source of time and of wakeups. Tests replace it to make time virtual.
package protocol SchedulerClock: Sendable {
  func read() -> ClockReading

  /// Reads the monotonic clock alone, in half the time.
  func readMonotonic() -> Deadline

  /// The moment from which instants of the monotonic clock count.
  var origin: Deadline { get }

  /// The cost of a wakeup. For a deadline closer than this the scheduler spins.
  var wakeupCost: Interval { get }

  /// The time from the removal of the last deadline until wakeups are disarmed. Timers are often made and ended in
  /// turns.
  var disarmDelay: Interval { get }

  /// The tasks that the clock moves by. Nil if time passes by itself.
  var world: (any ClockWorld)? { get }

  /// Holds the lifeline of a scheduler that has timers now, if time stands still.
  ///
  /// Once the clock is released, the timers live on only while their scheduler or one of their handles is held. Where
  /// time passes by itself, timers keep themselves alive.
  func hold(_ lifeline: any AnyObject & Sendable)

  /// Releases the lifeline of a scheduler that has no timers. The caller holds the lifeline.
  func release(_ lifeline: any AnyObject & Sendable)

  /// Requests a pass of a scheduler. It is made on the scheduler's queue at once or, if time stands still, in the next
  /// move of the clock.
  func requestPass(of scheduler: any ClockClient)

  /// Has the owners of a scheduler's timers checked from now on: by the scheduler's passes or, if time stands still, by
  /// the clock.
  func watchOwners(of scheduler: any ClockClient)

  func makeExecutor(label: String) -> QueueExecutor

  /// Returns a source that calls `onWakeup` on `executor` when an armed deadline has come.
  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource
}

extension SchedulerClock {
  /// Whether time passes only when the clock is moved.
  package var standsStill: Bool { world != nil }

  package var world: (any ClockWorld)? { nil }
  package var wakeupCost: Interval { .zero }
  package var disarmDelay: Interval { .zero }
  package func readMonotonic() -> Deadline { read().monotonic }
  package var origin: Deadline { Deadline(nanoseconds: 0) }
  package func requestPass(of scheduler: any ClockClient) { scheduler.postPass() }
  package func watchOwners(of scheduler: any ClockClient) { scheduler.announcePass() }
  package func makeExecutor(label: String) -> QueueExecutor { QueueExecutor(label: label) }
  package func hold(_ lifeline: any AnyObject & Sendable) {}
  package func release(_ lifeline: any AnyObject & Sendable) {}
}

/// A scheduler as its clock knows it.
package protocol ClockClient: AnyObject, Sendable {
  var executor: QueueExecutor { get }
  var ownerCheckInterval: Interval { get }

  /// Makes a pass after earlier work of the executor.
  func postPass()

  /// Makes a pass at once. Called on the executor's queue.
  func makePass()

  /// Requests a pass, unless one is about to be made. Threads have announced something that it is to look at.
  func announcePass()

  /// Whether a timer's owner is gone. Checking may release an owner, so don't call this on the executor's queue.
  var hasOrphans: Bool { get }

  /// Ends the timers whose owners are gone. Don't call this on the executor's queue.
  func endOrphans()

  /// Returns the date of a timer's next tick, for a message.
  func nextDate(ofTimer number: UInt64) -> Date?
}

/// A source of one wakeup at a time.
///
/// It belongs to the scheduler's isolation. After its release it delivers no wakeup.
package protocol WakeupSource: AnyObject {
  /// Arms a wakeup at `deadline`, in place of an earlier one.
  func arm(at deadline: Deadline)

  func disarm()

  /// Notes that the wakeup was delivered, so nothing is armed. The scheduler calls this before any other method.
  func wakeupDelivered()
}
