public import TimerSchedulingFoundation

/// Counts of a scheduler's timers, as of now and since the scheduler was made.
public struct TimerStatistics: Sendable, Hashable {
  /// The number of live timers that aren't paused.
  public var activeCount: Int
  /// The number of live timers that are paused.
  public var pausedCount: Int
  /// The number of actions under way.
  public var runningCount: Int
  /// The number of ticks that were taken before the end of their timer, by an action or any listener.
  public var tickCount: Int
  /// The number of missed deadlines: the ones that later ticks report, and the ones whose ticks were dropped
  /// by a new schedule.
  public var missedCount: Int
  /// The number of errors that actions threw before their timer's end, except those of a cancellation alone.
  public var failureCount: Int
  /// The number of times the scheduler was woken for a deadline. Timers that are due together share a wakeup.
  public var wakeupCount: Int
  /// The number of events an observer didn't receive because too many were waiting.
  public var droppedEventCount: Int
  /// The lateness of the timers' firings.
  public var lateness: Lateness

  /// The distribution of the time from deadlines to firings, measured on each timer's clock.
  ///
  /// It includes a timer's tolerance, and is otherwise as ``TimerTick/lateness``.
  public struct Lateness: Sendable, Hashable {
    package var count: Int
    /// The lateness that half of the firings didn't exceed. The exact value may be up to a sixteenth less.
    public var p50: Duration
    /// The lateness that 99 of 100 firings didn't exceed. The exact value may be up to a sixteenth less.
    public var p99: Duration
    /// The greatest lateness.
    public var max: Duration
  }
}

/// A timer's state and counts at one moment. The counts have the names and meanings of ``TimerStatistics``.
public struct TimerSnapshot: Sendable, Hashable, Identifiable {
  /// The timer's identifier.
  public var id: TimerID
  /// The name under which the timer was made.
  public var name: String?
  /// Whether the timer was scheduled or paused.
  public var state: TimerState
  /// The date of the next deadline. Nil while paused, and while a rule has yet to be asked for its date.
  public var nextDate: Date?
  /// The time until the next deadline, or the time that was left when the timer was paused.
  public var remainingTime: Duration?
  /// The number of ticks that were taken, by the action or by at least one listener.
  public var tickCount: Int
  /// The number of missed deadlines, which passed without a tick of their own.
  ///
  /// While the action is under way, deadlines that pass count at once, except the newest, whose tick is yet
  /// to come. The deadlines of a rule count when the run has ended.
  public var missedCount: Int
  /// The number of errors the timer's action threw, except those caused only by its task's cancellation.
  public var failureCount: Int
  /// The lateness of the timer's last firing, as in ``TimerTick/lateness``. Nil before the first firing.
  public var lastLateness: Duration?
  /// Whether the timer's action is under way.
  public var isRunning: Bool
  /// The timer's schedule, as in ``ScheduledTimer/schedule``. Nil for a single deadline that has passed.
  public var schedule: TimerSchedule?
}
