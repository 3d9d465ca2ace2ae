#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One tick of a timer, with all that is known of it.
public struct TimerTick: Sendable, Hashable {
  /// When the timer fired. Timers that fire at one wakeup share one date.
  ///
  /// A tick that fell due while the one before it was still waiting to be taken needed no wakeup. It
  /// carries the date at which it was due.
  public var date: Date

  /// When the tick was due.
  public var scheduledDate: Date

  /// The tick's number among those that were delivered, 0 for the first.
  public var index: Int

  /// How many deadlines have passed without a tick since the tick before.
  public var missedCount: Int

  /// How long after the deadline the timer fired, measured on the clock the timer runs on.
  ///
  /// A deadline that passed while the timer was paused is late from when the timer was resumed. Then the lateness is
  /// less than the time from ``scheduledDate`` to ``date``.
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
