/// Is told what becomes of a scheduler's timers: to log it, to count it, to trace it.
///
/// ```swift
/// struct Log: TimerObserver {
///   func observe(_ event: TimerEvent) {
///     logger.info("\(event.name ?? "\(event.timer)"): \(event.kind)")
///   }
/// }
///
/// var configuration = TimerScheduler.Configuration()
/// configuration.observer = Log()
/// let scheduler = TimerScheduler(configuration: configuration)
/// ```
///
/// Events come one at a time, those of one timer in the order in which they happened, on a queue of the
/// observer's own. No lock is held, and no timer waits: an observer may take its time, and call the scheduler. It mustn't wait for the scheduler's end, which
/// waits for it.
///
/// A timer's end may be followed by a tick that one of several listeners was still owed, and by the failure of an
/// action that was running.
///
/// Up to 65,536 events wait for an observer that is slow. Those that happen while so many wait are left out, and
/// counted in ``TimerStatistics/droppedEvents``. So what an observer counts up is right while that is zero, and how
/// many timers live is better taken from ``TimerScheduler/statistics``.
///
/// ``TimerScheduler/shutdownAndWait()``, ``TimerScheduler/run(until:)`` and ``withTimerScheduler(configuration:_:)`` return
/// after the observer was told of what has happened until then, and so wait for as long as it takes, unless their task was
/// cancelled.
///
/// The scheduler holds its observer. One that needs the scheduler should hold it weakly.
public protocol TimerObserver: Sendable {
  /// Something has happened to a timer.
  func observe(_ event: TimerEvent)
}

/// Something that has happened to a timer.
public struct TimerEvent: Sendable {
  /// What stands for the timer.
  public var timer: ScheduledTimer.ID
  /// The name under which the timer was made.
  public var name: String?
  /// What has happened.
  public var kind: Kind

  /// What can happen to a timer.
  @nonexhaustive(warn)
  public enum Kind: Sendable {
    /// The timer was made.
    case scheduled
    /// A tick was taken, by the action or by the first of the listeners.
    ///
    /// Its `missedCount` is that of all listeners together: the sum over a timer's events is how many of its
    /// deadlines had no tick of their own. (Where a listener joins a timer under ``MissedTickBehavior/burst`` while
    /// another is behind, what the other has yet to take counts as taken, and isn't told tick by tick.)
    case ticked(TimerTick)
    /// The timer was paused.
    case paused
    /// The timer goes on.
    case resumed
    /// The timer was given another schedule.
    case rescheduled
    /// The action has thrown an error, and not only because its task was cancelled.
    case actionFailed(any Error)
    /// The timer has ended.
    case finished(ScheduledTimer.FinishReason)
  }

  /// Creates an event, for instance to test an observer.
  public init(timer: ScheduledTimer.ID, name: String?, kind: Kind) {
    self.timer = timer
    self.name = name
    self.kind = kind
  }
}
