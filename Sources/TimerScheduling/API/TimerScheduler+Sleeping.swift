public import TimerSchedulingFoundation

extension TimerScheduler {
  /// The scheduler's time as a clock.
  public nonisolated var clock: TimerClock { TimerClock(of: self) }

  /// The date of the scheduler's wall clock: the system's, or that of a `VirtualClock`.
  public nonisolated var date: Date { Date(driver.clock.read().wall) }

  /// Waits for a duration.
  ///
  /// A sleep belongs to its task and isn't a timer: calls like ``cancelAll()`` don't affect it, and no
  /// snapshot or statistic includes it. Sleeps whose tolerances overlap share a wakeup. A duration of zero or
  /// less ends at once, and one beyond 292 years never.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .seconds(30), tolerance: .seconds(1))
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The time to wait, on a clock that stands still while the machine sleeps.
  ///   - tolerance: The longest delay of the wakeup, or nil for the scheduler's default.
  /// - Throws: `CancellationError` if the task is cancelled or the scheduler is shut down first.
  /// - Precondition: `tolerance` isn't negative.
  /// - Complexity: O(1).
  public nonisolated func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
    let now = driver.clock.readMonotonic()
    try await sleep(until: now + Interval(duration), on: .monotonic, now, tolerance)
  }

  /// Waits for a number of seconds.
  ///
  /// - Precondition: `seconds` is finite. The rest is as for ``sleep(for:tolerance:)-(Duration,_)``.
  @_disfavoredOverload
  public nonisolated func sleep(for seconds: TimeInterval, tolerance: Duration? = nil) async throws {
    try await sleep(for: .orStop(seconds: seconds), tolerance: tolerance)
  }

  /// Waits until a date on the wall clock, and follows the clock when it is set. A past date ends it at once.
  ///
  /// - Precondition: `date` is a number. The rest is as for ``sleep(for:tolerance:)-(Duration,_)``.
  public nonisolated func sleep(until date: Date, tolerance: Duration? = nil) async throws {
    try await sleep(until: Deadline(date.orStopIfNotANumber()), on: .wall, driver.read().wall, tolerance)
  }

  /// Waits until an instant of ``clock``. A past instant ends it at once.
  ///
  /// - Precondition: As for ``sleep(for:tolerance:)-(Duration,_)``.
  public nonisolated func sleep(until instant: TimerClock.Instant, tolerance: Duration? = nil) async throws {
    let (clock, offset) = (driver.clock, Interval(instant.offset))
    try await sleep(until: clock.origin + offset, on: .monotonic, clock.readMonotonic(), tolerance)
  }

  private nonisolated func sleep(
    until deadline: Deadline, on timeline: Timeline, _ now: Deadline, _ tolerance: Duration?
  ) async throws {
    TimerSchedule.requireValid(tolerance: tolerance)
    try Task.checkCancellation()
    if deadline <= now, !driver.isShutDown { return }
    let wait = TimedWait(for: .sleep, until: deadline, on: timeline, tolerance: tolerance, in: driver)
    guard await wait.wait() else { throw CancellationError() }
  }
}
