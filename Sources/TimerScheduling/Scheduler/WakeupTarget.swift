/// Whom a wakeup source is to wake.
///
/// Holds the scheduler while a wakeup is asked for, which is while there are live timers, and these hold it anyway.
/// A weak reference would give the scheduler a side table, and make every other reference to it dearer, of which there
/// is one a timer.
///
/// Confined to the scheduler's queue, where wakeups are asked for and where they come.
final class WakeupTarget: @unchecked Sendable {
  var scheduler: TimerScheduler?
}
