import Dispatch

/// A scheduler's source of time and of wakeups. Tests replace it to make time virtual.
package protocol SchedulerClock: Sendable {
  func read() -> ClockReading

  /// Reads the monotonic clock alone, which takes half the time.
  func readMonotonic() -> Deadline

  /// The moment from which instants of the monotonic clock count.
  var origin: Deadline { get }

  /// The cost of a wakeup. For a deadline closer than this the scheduler spins.
  var wakeupCost: Interval { get }

  /// The longest time from a change of the wall clock to the scheduler's wakeup. The greatest interval if no
  /// wakeup comes.
  var noticeDelay: Interval { get }

  /// The time from the removal of the last deadline until wakeups are disarmed.
  var disarmDelay: Interval { get }

  /// What a virtual clock does for its schedulers. Nil if time passes by itself.
  var virtual: (any VirtualSchedulers)? { get }

  /// Returns a source that calls `onWakeup` on `executor` when an armed deadline has come.
  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource
}

/// What a virtual clock does for its schedulers, beside their tasks.
package protocol VirtualSchedulers: VirtualTasks {
  /// Requests a pass of a scheduler in the next move of the clock.
  func requestPass(of driver: TimerDriver)

  /// Has the owners of a scheduler's timers checked by the clock.
  func watchOwners(of driver: TimerDriver)

  func makeExecutor(label: String) -> QueueExecutor
}

// The defaults are those of a clock of real time.
extension SchedulerClock {
  package var virtual: (any VirtualSchedulers)? { nil }
  package var wakeupCost: Interval { .zero }
  package var noticeDelay: Interval { virtual != nil ? .zero : .max }
  package var disarmDelay: Interval { .zero }
  package func readMonotonic() -> Deadline { read().monotonic }
  package var origin: Deadline { Deadline(nanoseconds: 0) }
}

/// The machine's own clocks, with dispatch timers for wakeups.
struct SystemClock: SchedulerClock {
  func read() -> ClockReading {
    ClockReading.bracketed(
      monotonic: { readMonotonic() },
      wall: { Deadline(nanoseconds: DispatchWallTime.now().nanosecondsSince1970) })
  }

  func readMonotonic() -> Deadline {
    Deadline(nanoseconds: Int64(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds))
  }

  /// Arming a timer and being woken by it takes 30 µs of CPU time, on two threads.
  var wakeupCost: Interval { Interval(nanoseconds: 15_000) }

  var disarmDelay: Interval { Interval(nanoseconds: 1_000_000) }

  /// A busy machine, on which it takes longer, may lose a date of the time between.
  var noticeDelay: Interval {
    ClockDescriptorSource.isSupported ? Interval(nanoseconds: 1_000_000_000) : .max
  }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    (timeline == .wall ? ClockDescriptorSource(queue: executor.queue, onWakeup: onWakeup) : nil)
      ?? DispatchWakeupSource(on: timeline, queue: executor.queue, onWakeup: onWakeup)
  }
}

extension ClockReading {
  /// Three readings take about 100 ns. A thread that is preempted in between takes a thousand times as long.
  private static let widestBracket = Interval(nanoseconds: 10_000)
  private static let mostTries = 8

  /// Reads both clocks as nearly at the same moment as possible.
  ///
  /// The wall clock is read between two readings of the monotonic one, again if they are too far apart, and
  /// the closest are used. The result has the earlier of the two, so that no tick is early.
  package static func bracketed(monotonic: () -> Deadline, wall: () -> Deadline) -> ClockReading {
    var (best, width) = (ClockReading(monotonic: .past, wall: .past), Interval.max)
    var after = monotonic()
    for _ in 0..<mostTries where width > widestBracket {
      let reading = ClockReading(monotonic: after, wall: wall())
      after = monotonic()
      if after - reading.monotonic < width { (best, width) = (reading, after - reading.monotonic) }
    }
    return best
  }
}
