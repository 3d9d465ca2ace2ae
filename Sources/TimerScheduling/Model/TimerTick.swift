public import TimerSchedulingFoundation

/// One tick of a timer, with all its details.
public struct TimerTick: Sendable, Hashable {
  /// The date at which the timer fired. Timers that fire at one wakeup share one date.
  ///
  /// A tick that fell due while the previous one was still waiting to be taken needed no wakeup. Its date is the one
  /// at which it was due.
  public var date: Date

  /// The date at which the tick was due.
  public var scheduledDate: Date

  /// The tick's number among the delivered ones, 0 for the first.
  public var index: Int

  /// The number of deadlines without a tick since the previous tick.
  public var missedCount: Int

  /// The time from the deadline to the firing, measured on the timer's clock.
  ///
  /// It doesn't include the time from the firing until the consumer's task gets a thread, or its actor, and
  /// takes the tick. For a deadline that passed during a pause, it counts from the resume.
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
