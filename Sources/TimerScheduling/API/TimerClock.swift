/// A scheduler's time as a clock, on which tasks sleep.
///
/// Code that takes a `Clock` runs on the scheduler's time with it: `Task.sleep(for:clock:)`, and the time-based operators of
/// swift-async-algorithms. A sleep is a timer of the scheduler. On the system's time the clock stands still while the
/// machine sleeps, and on a `VirtualClock` it goes as that is told.
///
/// ```swift
/// let begin = scheduler.clock.now
/// try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(100), clock: scheduler.clock)
/// print(begin.duration(to: scheduler.clock.now) >= .seconds(1))
/// ```
/// ```text
/// true
/// ```
public struct TimerClock: Clock {
  /// A moment of a scheduler's time.
  ///
  /// Moments of schedulers on the system's time can be compared, and those of schedulers on one virtual clock.
  public struct Instant: InstantProtocol {
    /// The time from the clock's zero. On the system's time that is the machine's start.
    public var offset: Duration

    /// The moment so long after the clock's zero.
    public init(offset: Duration) {
      self.offset = offset
    }

    /// The moment so much later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// The time from this moment to another.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether a moment comes before another.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }
  }

  private let scheduler: TimerScheduler

  init(of scheduler: TimerScheduler) {
    self.scheduler = scheduler
  }

  /// The present moment.
  public var now: Instant {
    Instant(offset: .nanoseconds(scheduler.driver.clock.readMonotonic().nanoseconds))
  }

  /// The clock counts nanoseconds.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until a moment has come.
  ///
  /// As ``TimerScheduler/sleep(for:tolerance:)``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first, or the scheduler shut down.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await scheduler.sleep(for: now.duration(to: deadline), tolerance: tolerance)
  }
}

extension TimerScheduler {
  /// The scheduler's time as a clock.
  public nonisolated var clock: TimerClock { TimerClock(of: self) }
}
