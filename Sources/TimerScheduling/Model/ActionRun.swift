/// One run of an action: the action with the tick it runs for, from the beginning of its task to its end.
///
/// An action, what it calls, and an ``TimerScheduler/Configuration/interceptor`` read ``current`` to learn which timer
/// they run for:
///
/// ```swift
/// scheduler.schedule(.every(.seconds(60)), name: "refresh") { _ in
///   logger.info("\(ActionRun.current?.name ?? "a timer") runs")
/// }
/// ```
///
/// It holds a name and numbers only, as tasks that an action makes inherit it and may outlive the timer.
public struct ActionRun: Sendable, Hashable {
  /// The identifier of the timer.
  public let timer: ScheduledTimer.ID
  /// The name under which the timer was made.
  public let name: String?
  /// The number of the run among those of its timer.
  let number: UInt64
}
