/// An object that owns timers and ends them at once when it is released.
///
/// Any Sendable object can own timers. Its timers end at their next deadline after its release, or when the scheduler
/// next checks its owners, whichever comes first. Timers owned by a `TimerOwner` have already ended when its last
/// reference is gone. Store one as a property of an object that isn't Sendable, or whose timers must end exactly with
/// it.
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

  private final class KnownScheduler: Sendable {
    weak let driver: TimerDriver?

    init(_ driver: TimerDriver) { self.driver = driver }
  }

  /// Guards the schedulers that have had timers of this owner, keyed by the number of their owner table.
  private let schedulers = Lock<[UInt64: KnownScheduler]>([:])

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    for known in schedulers.withLock({ Array($0.values) }) {
      known.driver?.endTimers(ofOwnerAt: address)
    }
  }
}

extension TimerOwner {
  func willOwnTimer(of driver: TimerDriver) {
    let number = driver.owners.number
    let known = schedulers.withLock { schedulers -> [UInt64: KnownScheduler] in
      guard schedulers[number] == nil else { return [:] }
      let known = schedulers
      schedulers[number] = KnownScheduler(driver)
      return known
    }
    // Released schedulers are removed here, after another one was added. Checking a scheduler may release it, so the
    // check isn't done under the lock.
    let gone = known.filter { $0.value.driver == nil }
    guard !gone.isEmpty else { return }
    schedulers.withLock { schedulers in
      for number in gone.keys { schedulers[number] = nil }
    }
  }
}
