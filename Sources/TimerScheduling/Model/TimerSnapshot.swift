#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A timer's state and counts at one moment.
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
  /// The number of deadlines that passed without a tick of their own.
  public var missedCount: Int
  /// The lateness of the timer's last firing, as in ``TimerTick/lateness``. Nil before the first firing.
  public var lastLateness: Duration?
  /// The greatest lateness of the timer's firings. Nil before the first firing.
  public var maxLateness: Duration?
  /// The number of errors the timer's action threw, except those caused only by its task's cancellation.
  public var failureCount: Int
  /// Whether the timer's action is under way.
  public var isRunning: Bool
  /// The timer's schedule, as in ``ScheduledTimer/schedule``. Nil for a delay, and once no deadline is left.
  public var schedule: TimerSchedule?
}
