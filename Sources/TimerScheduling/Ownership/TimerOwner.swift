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
///     scheduler.schedule(.every(1), owner: timers) { _, tick in print(tick.date) }
///   }
/// }
/// ```
public final class TimerOwner: Sendable {
  private struct Employer {
    weak var scheduler: TimerScheduler?
  }

  /// Guards the schedulers that have had timers of this owner.
  private let employers = Lock<[ObjectIdentifier: Employer]>([:])

  /// Creates an owner without timers.
  public init() {}

  deinit {
    let address = ObjectIdentifier(self)
    let schedulers = employers.withLock { employers in employers.values.map(\.scheduler) }
    for scheduler in schedulers { scheduler?.endTimers(ofOwnerAt: address) }
  }

  /// A timer of `scheduler` is about to be made for this owner.
  func note(_ scheduler: TimerScheduler) {
    employers.withLock { $0[ObjectIdentifier(scheduler)] = Employer(scheduler: scheduler) }
  }
}
