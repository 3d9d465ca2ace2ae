import TestSupport
import TimerScheduling
import TimerSchedulingTesting

/// A manual clock that schedulers use as they do that of the machine.
///
/// A test may do something at the moment at which the clock is asked next, and so between two steps of the
/// driver.
final class InterruptedClock: SchedulerClock {
  let manual = VirtualClock.manual()
  /// Guards the interruption of the next reading of both clocks.
  private let bothInterruption = Lock<(@Sendable () -> Void)?>(nil)
  /// How far the wall clock was set forward in all.
  private let wallStep = Lock(Duration.zero)
  /// Guards the interruption of the next check of owners.
  private let checkInterruption = Lock<(@Sendable () -> Void)?>(nil)
  /// Guards the interruption of the next pass.
  private let passInterruption = Lock<(@Sendable () -> Void)?>(nil)

  func makeScheduler() -> TimerScheduler {
    TimerScheduler(configuration: .init(), clock: self, jitterSeed: 1)
  }

  func interruptNextReadingOfBoth(_ interruption: @escaping @Sendable () -> Void) {
    bothInterruption.withLock { $0 = interruption }
  }

  /// Sets the wall clock without telling the schedulers, as the system does.
  func setWallClock(by step: Duration) {
    wallStep.withLock { $0 += step }
  }

  /// Interrupts the next pass after it has published its earliest deadlines.
  func interruptNextPass(_ interruption: @escaping @Sendable () -> Void) {
    passInterruption.withLock { $0 = interruption }
  }

  /// Interrupts the next pass that plans a check of owners, before it publishes its earliest deadlines.
  func interruptNextOwnerCheck(_ interruption: @escaping @Sendable () -> Void) {
    checkInterruption.withLock { $0 = interruption }
  }

  // MARK: SchedulerClock

  var virtual: (any VirtualSchedulers)? {
    checkInterruption.withLock { $0.take() }?()
    return nil
  }

  var wakeupCost: Interval {
    passInterruption.withLock { $0.take() }?()
    return .zero
  }

  func read() -> ClockReading {
    bothInterruption.withLock { $0.take() }?()
    let reading = manual.read()
    return ClockReading(monotonic: reading.monotonic, wall: reading.wall + Interval(wallStep.withLock { $0 }))
  }

  func readMonotonic() -> Deadline { manual.read().monotonic }

  func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    // The manual clock doesn't know this one's dates, for which the monotonic clock wakes the driver, too.
    timeline == .wall
      ? NoWakeups() : manual.makeWakeupSource(on: timeline, executor: executor, onWakeup: onWakeup)
  }

  private final class NoWakeups: WakeupSource {
    func arm(at deadline: Deadline) {}
    func disarm() {}
  }
}
