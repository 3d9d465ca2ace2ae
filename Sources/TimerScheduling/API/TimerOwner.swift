import Synchronization

/// An owner of timers, whose release ends them at once.
///
/// Any Sendable object can own timers: they end at their next deadline after its death, or when the
/// scheduler next looks for the dead, whichever is first. Timers owned by a `TimerOwner` have ended when its
/// last reference is gone. Store one as a property of an object that isn't Sendable, or whose timers
/// mustn't outlive it by a moment.
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
  private final class Employer: Sendable {
    weak let driver: TimerDriver?

    init(_ driver: TimerDriver) { self.driver = driver }
  }

  /// Guards the drivers that have had timers of this owner, by the numbers of their tables of owners.
  private let employers = Lock<[UInt64: Employer]>([:])
  /// The number of one that is among the employers, nearly always the one that is noted next.
  private let latest = Atomic<UInt64>(0)

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    for employer in employers.withLock({ Array($0.values) }) {
      employer.driver?.endTimers(ofOwnerAt: address)
    }
  }

}

extension TimerOwner: SelfReleasingOwner {
  func willOwnTimer(of driver: TimerDriver) {
    let number = driver.owners.number
    // Stored after the driver was added. It stays among the employers while it lives, as it does in this call.
    if latest.load(ordering: .acquiring) == number { return }
    let known = employers.withLock { employers -> [UInt64: Employer] in
      guard employers[number] == nil else { return [:] }
      let known = employers
      employers[number] = Employer(driver)
      return known
    }
    latest.store(number, ordering: .releasing)
    // After another one was added is a good time to forget those that are gone. Looking at a driver may release it,
    // so that isn't done under the lock.
    let gone = known.filter { $0.value.driver == nil }
    guard !gone.isEmpty else { return }
    employers.withLock { employers in
      for number in gone.keys { employers[number] = nil }
    }
  }
}
