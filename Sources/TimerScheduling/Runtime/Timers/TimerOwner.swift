/// An object that owns timers and ends them at once when it is released.
///
/// Any Sendable object can own timers. Its timers end at their next deadline after its release, or when the
/// scheduler next checks its owners, whichever comes first. Timers owned by a `TimerOwner` have already ended
/// when its last reference is gone. Store one as a property of an object that isn't Sendable, or whose timers
/// must end exactly with it.
///
/// ```swift
/// final class Screen {
///   private let timers = TimerOwner()
///
///   func show(_ scheduler: TimerScheduler) {
///     scheduler.schedule(.every(1), owner: timers) { _, tick in await metrics.flush(at: tick.date) }
///   }
/// }
/// ```
public final class TimerOwner: Sendable {
  /// Stands for no owner, where a call takes one. It has no timers.
  public static let none = TimerOwner()

  private struct Scheduler {
    weak let driver: TimerDriver?
  }

  /// The schedulers that have had timers of this owner, by the number of their owner table.
  private let schedulers = Lock<[UInt64: Scheduler]>([:])

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    for scheduler in schedulers.withLock(\.values) { scheduler.driver?.endTimers(ofOwnerAt: address) }
  }

  func willOwnTimer(of driver: TimerDriver) {
    let number = driver.owners.number
    let known = schedulers.withLock { schedulers -> [UInt64: Scheduler] in
      guard schedulers[number] == nil else { return [:] }
      schedulers[number] = Scheduler(driver: driver)
      return schedulers
    }
    // Removes those that are gone. Checking one may release it, which must not happen under the lock.
    for (number, scheduler) in known where scheduler.driver == nil {
      schedulers.withLock { $0[number] = nil }
    }
  }
}
