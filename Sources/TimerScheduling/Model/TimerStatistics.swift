/// What a scheduler's timers are doing, and have done since it was made.
public struct TimerStatistics: Sendable, Hashable {
  /// How many live timers aren't paused.
  public var active: Int
  /// How many live timers are paused.
  public var paused: Int
  /// How many actions are under way.
  public var running: Int
  /// How many ticks were taken, by an action or by at least one listener.
  public var ticks: Int
  /// How many deadlines passed without a tick of their own, as told by the ticks after them. Those whose tick a new
  /// schedule took back are among them.
  public var missed: Int
  /// How often an action has thrown an error, and not only because its task was cancelled.
  public var failures: Int
  /// How often the scheduler was woken for a deadline.
  ///
  /// Timers that are due together share a wakeup, so this may be far less than the ticks.
  public var wakeups: Int
  /// How many events an observer didn't get, because too many were waiting for it.
  public var droppedEvents: Int
  /// How late the timers fired.
  public var lateness: Lateness

  /// How long after their deadlines timers fired, on the clock that each runs on.
  ///
  /// It contains a timer's tolerance. It doesn't contain the time from the firing until a task runs, nor a pause: a
  /// deadline that passed while its timer was paused is late from when the timer was resumed.
  public struct Lateness: Sendable, Hashable {
    /// How many firings there were.
    public var count: Int
    /// What half of the firings had at most. The exact value may be up to a sixteenth less.
    public var p50: Duration
    /// What 99 of 100 firings had at most. The exact value may be up to a sixteenth less.
    public var p99: Duration
    /// The greatest lateness of all.
    public var max: Duration
  }
}
