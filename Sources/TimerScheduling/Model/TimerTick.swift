public import TimerSchedulingFoundation

/// One tick of a timer, with all its details.
public struct TimerTick: Sendable, Hashable {
  /// The date at which the timer fired. Timers that fire at one wakeup share one date.
  ///
  /// A tick that fell due before the previous one was taken needed no wakeup. It has its scheduled date.
  public var date: Date
  /// The date at which the tick was due.
  public var scheduledDate: Date
  /// The tick's number among the delivered ones, 0 for the first.
  public var index: Int
  /// The number of deadlines without a tick since the previous tick. For a rule that has missed more than
  /// 10,000 dates, that many or more.
  public var missedCount: Int
  /// The time from the deadline to the firing, measured on the timer's clock.
  ///
  /// It doesn't include the time until the consumer's task gets a thread, or its actor, and takes the tick.
  /// For a deadline that passed during a pause, it counts from the resume.
  public var lateness: Duration

  /// Creates a tick, for tests of code that takes ticks.
  public init(date: Date, scheduledDate: Date, index: Int, missedCount: Int, lateness: Duration) {
    self.date = date
    self.scheduledDate = scheduledDate
    self.index = index
    self.missedCount = missedCount
    self.lateness = lateness
  }
}
