/// The running of an action, from its task's beginning to its end.
///
/// An action, what it calls, and an ``TimerScheduler/Configuration/interceptor`` find here which timer they run for:
///
/// ```swift
/// scheduler.schedule(.every(.seconds(60)), name: "refresh") { _ in
///   logger.info("\(ActionRun.current?.name ?? "a timer") runs")
/// }
/// ```
///
/// A name and numbers only, as tasks that an action makes inherit it and may outlive the timer.
public struct ActionRun: Sendable, Hashable {
  @TaskLocal static var bound: ActionRun?

  /// The run that the current task belongs to, if it does.
  public static var current: ActionRun? { bound }

  /// What stands for the timer.
  public let timer: ScheduledTimer.ID
  /// The name under which the timer was made.
  public let name: String?
  let number: UInt32
}
