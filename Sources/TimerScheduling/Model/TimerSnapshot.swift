#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a timer was like at one moment.
public struct TimerSnapshot: Sendable, Hashable, Identifiable {
  /// What stands for the timer.
  public var id: ScheduledTimer.ID
  /// The name under which the timer was made.
  public var name: String?
  /// Whether the timer was scheduled or paused.
  public var state: ScheduledTimer.State
  /// When its next deadline was due. Nil while paused, and where a rule has yet to be asked.
  public var nextDate: Date?
  /// The time until the next deadline, or the time that was left when the timer was paused.
  public var remainingTime: Duration?
  /// How many ticks were taken, by the action or by at least one listener.
  public var tickCount: Int
  /// How many deadlines passed without a tick of their own.
  public var missedCount: Int
  /// By how much the timer was late when it fired last, as ``TimerTick/lateness`` says. Nil before the first time.
  public var lastLateness: Duration?
  /// By how much the timer was late at most when it fired. Nil before the first time.
  public var maxLateness: Duration?
  /// How often the timer's action has thrown an error, and not only because its task was cancelled.
  public var failureCount: Int
  /// Whether the timer's action is under way.
  public var isRunning: Bool
  /// The timer's schedule, as ``ScheduledTimer/schedule`` says it. Nil for a delay, and once nothing is left.
  public var schedule: TimerSchedule?
}
