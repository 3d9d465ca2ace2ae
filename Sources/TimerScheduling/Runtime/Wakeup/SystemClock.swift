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
