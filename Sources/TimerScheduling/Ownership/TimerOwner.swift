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
    weak let scheduler: TimerScheduler?

    init(_ scheduler: TimerScheduler) { self.scheduler = scheduler }
  }

  /// Guards the schedulers that have had timers of this owner, by their addresses.
  private let employers = Lock<[ObjectIdentifier: Employer]>([:])

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    for employer in employers.withLock({ Array($0.values) }) {
      employer.scheduler?.endTimers(ofOwnerAt: address)
    }
  }

  /// A timer of `scheduler` is about to be made for this owner.
  func note(_ scheduler: TimerScheduler) {
    let known = employers.withLock { employers -> [ObjectIdentifier: Employer] in
      let count = employers.count
      employers[ObjectIdentifier(scheduler)] = Employer(scheduler)
      return count < employers.count ? employers : [:]
    }
    // Another one: a good time to forget those that are gone. To look may release one, so not under the lock.
    let gone = known.filter { $0.value.scheduler == nil }
    guard !gone.isEmpty else { return }
    employers.withLock { employers in
      for (address, employer) in gone where employers[address] === employer { employers[address] = nil }
    }
  }
}
