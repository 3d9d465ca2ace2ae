/// Receives the events of a scheduler's timers, for logs, counters or traces.
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
/// observer's own. No timer waits meanwhile: an observer may take its time and call the scheduler. It mustn't
/// wait for the scheduler's shutdown, which waits for the observer unless the waiting task is cancelled. The
/// scheduler holds its observer strongly, so an observer should hold the scheduler weakly.
///
/// No event of a timer follows its `finished` event. An error that the run of a cancelled timer throws later
/// is printed to standard error and kept in ``ScheduledTimer/failure``.
///
/// Up to 65,536 events wait for a slow observer. Further events are dropped and counted in
/// ``TimerStatistics/droppedEventCount``. An observer's own counts are right only while that is zero.
public protocol TimerObserver: Sendable {
  /// Receives an event of a timer.
  func observe(_ event: TimerEvent)
}

/// An event of a timer.
public struct TimerEvent: Sendable {
  /// The timer's identifier.
  public var timer: TimerID
  /// The name under which the timer was made.
  public var name: String?
  /// The kind of event.
  public var kind: Kind

  /// A kind of event.
  @nonexhaustive(warn)
  public enum Kind: Sendable {
    /// The timer was made.
    case scheduled
    /// A tick was taken, by the action or by the first of the listeners.
    ///
    /// The `missedCount` counts each missed deadline once, however many listeners there are. Its sum over a
    /// timer's events is the number of missed deadlines. Under ``MissedTickBehavior/burst``, a listener may
    /// join while another is behind. The ticks that only the slower one still takes cause no events.
    case ticked(TimerTick)
    /// The timer was paused.
    case paused
    /// The timer was resumed.
    case resumed
    /// The timer was given another schedule.
    case rescheduled
    /// The action threw an error, other than one caused only by its task's cancellation.
    case actionFailed(any Error)
    /// The timer has ended.
    case finished(TimerFinishReason)
  }
}
