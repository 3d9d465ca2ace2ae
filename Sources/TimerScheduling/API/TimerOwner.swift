import Synchronization

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
  private final class KnownDriver: Sendable {
    weak let driver: TimerDriver?

    init(_ driver: TimerDriver) { self.driver = driver }
  }

  /// Guards the drivers that have had timers of this owner, keyed by the number of their owner table.
  private let drivers = Lock<[UInt64: KnownDriver]>([:])
  /// The number of the driver noted last, which is nearly always the one noted next.
  private let latest = Atomic<UInt64>(0)

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    for known in drivers.withLock({ Array($0.values) }) {
      known.driver?.endTimers(ofOwnerAt: address)
    }
  }

}

extension TimerOwner: SelfReleasingOwner {
  func willOwnTimer(of driver: TimerDriver) {
    let number = driver.owners.number
    // Stored after the driver was added. The driver stays in `drivers` while it lives, as it does during this call.
    if latest.load(ordering: .acquiring) == number { return }
    let known = drivers.withLock { drivers -> [UInt64: KnownDriver] in
      guard drivers[number] == nil else { return [:] }
      let known = drivers
      drivers[number] = KnownDriver(driver)
      return known
    }
    latest.store(number, ordering: .releasing)
    // Released drivers are removed here, after another one was added. Checking a driver may release it, so the check
    // isn't done under the lock.
    let gone = known.filter { $0.value.driver == nil }
    guard !gone.isEmpty else { return }
    drivers.withLock { drivers in
      for number in gone.keys { drivers[number] = nil }
    }
  }
}
