/// The scheduler that a wakeup source wakes.
///
/// Holds the scheduler while a wakeup is armed, which is while there are live timers, and these hold it anyway.
/// A weak reference would give the scheduler a side table and make every other reference to it more expensive, and each
/// timer has one. Only a scheduler on a virtual clock is referred to weakly, through its ``LooseKeeper``.
///
/// Confined to the scheduler's queue, which arms wakeups and receives them.
final class WakeupTarget: @unchecked Sendable {
  var scheduler: TimerScheduler?
}
