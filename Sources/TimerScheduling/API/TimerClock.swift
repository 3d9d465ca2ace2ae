/// A clock that shows a scheduler's time and on which tasks sleep.
///
/// Code that takes a `Clock` runs on the scheduler's time with it, such as `Task.sleep(for:clock:)` and the
/// operators of swift-async-algorithms. On the system's time the clock stands still while the machine sleeps;
/// on a `VirtualClock` it moves as the test moves it.
///
/// ```swift
/// let begin = scheduler.clock.now
/// try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(100), clock: scheduler.clock)
/// print(begin.duration(to: scheduler.clock.now) >= .seconds(1))  // true
/// ```
public struct TimerClock: Clock {
  /// A moment of a scheduler's time. Compare instants of the system's time only, or of one virtual clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock's zero: the start of the machine, or the making of a virtual clock.
    public var offset: Duration

    /// Creates the instant `offset` after the clock's zero.
    public init(offset: Duration) { self.offset = offset }

    /// Returns the instant `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the time from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Returns whether the first instant comes before the second.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let scheduler: TimerScheduler

  init(of scheduler: TimerScheduler) { self.scheduler = scheduler }

  /// The present instant.
  public var now: Instant {
    let clock = scheduler.driver.clock
    return Instant(offset: (clock.readMonotonic() - clock.origin).duration)
  }

  /// One nanosecond, the clock's resolution.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the clock reaches `deadline`, like ``TimerScheduler/sleep(for:tolerance:)-(Duration,_)``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled or the scheduler is shut down first.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await scheduler.sleep(until: deadline, tolerance: tolerance)
  }
}
