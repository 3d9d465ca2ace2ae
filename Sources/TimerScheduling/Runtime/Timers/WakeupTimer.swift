/// The source that wakes the driver for the deadlines of one clock, and the wakeup armed there. Used on the
/// driver's queue.
final class WakeupTimer {
  /// The driver that the source wakes, held while a wakeup is armed. Used on the driver's queue only.
  ///
  /// A weak reference would make every other reference to the driver more expensive, and each timer has one.
  private final class Target: @unchecked Sendable {
    var driver: TimerDriver?
  }

  private let timeline: Timeline
  private let target = Target()
  /// Made for the first wakeup.
  private var source: (any WakeupSource)?
  /// The moment of the armed wakeup. Nil after its delivery.
  private var armed: Deadline?

  init(on timeline: Timeline) { self.timeline = timeline }

  /// Arms a wakeup at `wakeup` or, if that has passed, just after `now`. If `wakeup` never comes, arms none
  /// unless `isKept`, as the source also tells when its clock is set.
  ///
  /// The calling pass has fired everything due by `now`. So a wakeup that finds nothing to do can't arm
  /// itself again for the same moment.
  ///
  /// Re-arming takes 6 µs in Dispatch's thread. So an earlier wakeup that is still ahead stays armed, even if
  /// its deadline is gone.
  func arm(for wakeup: Deadline, at now: Deadline, in driver: TimerDriver, isKept: Bool = false) {
    let wakeup = max(wakeup, now + Interval(nanoseconds: 1))
    guard wakeup < .never || isKept else {
      armed = nil
      source?.disarm()
      target.driver = nil
      return
    }
    let source = source ?? makeSource(in: driver)
    self.source = source
    target.driver = driver
    if let armed, armed > now, armed <= wakeup { return }
    armed = wakeup
    source.arm(at: wakeup)
  }

  private func makeSource(in driver: TimerDriver) -> any WakeupSource {
    driver.clock.makeWakeupSource(on: timeline, executor: driver.executor) { [target, timeline] in
      target.driver?.assumeIsolated { $0.wake(on: timeline) }
    }
  }

  func fired() { armed = nil }
}
