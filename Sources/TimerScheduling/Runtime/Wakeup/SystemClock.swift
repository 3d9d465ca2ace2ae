import Dispatch

/// The machine's own clocks, with dispatch timers for wakeups.
struct SystemClock: SchedulerClock {
  func read() -> ClockReading {
    ClockReading.bracketed(monotonic: { readMonotonic() }, wall: { Self.readWall() })
  }

  func readMonotonic() -> Deadline {
    Deadline(nanoseconds: Int64(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds))
  }

  private static func readWall() -> Deadline {
    Deadline(nanoseconds: DispatchWallTime.now().nanosecondsSince1970)
  }

  /// Arming a timer and being woken by it takes 30 µs of CPU time, on two threads.
  var wakeupCost: Interval { Interval(nanoseconds: 15_000) }

  var disarmDelay: Interval { Interval(nanoseconds: 1_000_000) }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    DispatchWakeupSource(on: timeline, queue: executor.queue, onWakeup: onWakeup)
  }
}

extension ClockReading {
  /// The widest acceptable gap between two monotonic readings that enclose one of the wall clock.
  ///
  /// Three readings take about 100 ns. A thread that is preempted in between takes a thousand times as long.
  private static let widestBracket = Interval(nanoseconds: 10_000)
  /// The largest number of readings of the wall clock.
  private static let mostTries = 8

  /// Reads both clocks as nearly at the same moment as possible.
  ///
  /// A thread may be preempted between two readings. So the monotonic clock is read before and after the wall clock,
  /// and both are read again if too much time has passed in between. If that happens each time, the closest readings
  /// are used. The result has the earlier of the two monotonic times, so that no tick is early.
  package static func bracketed(monotonic: () -> Deadline, wall: () -> Deadline) -> ClockReading {
    var before = monotonic()
    var best = ClockReading(monotonic: before, wall: wall())
    var after = monotonic()
    var width = after - before
    for _ in 1..<mostTries where width > widestBracket {
      before = after
      let reading = ClockReading(monotonic: before, wall: wall())
      after = monotonic()
      if after - before < width { (best, width) = (reading, after - before) }
    }
    return best
  }
}
