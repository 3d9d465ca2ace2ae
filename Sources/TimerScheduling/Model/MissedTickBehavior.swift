/// The treatment of ticks whose deadlines passed before they could be delivered.
///
/// Deadlines are missed when the consumer is busy, the timer's queue is stalled or the process is stopped. In
/// the drawings the consumer is busy from its first tick until shortly after the third deadline.
@nonexhaustive(warn)
public enum MissedTickBehavior: Sendable, Hashable {
  /// Delivers one tick for the newest deadline that passed and rejoins the original cadence.
  ///
  ///     deadlines  1     2     3     4     5
  ///     consumer   [==============]
  ///     ticks      1              3  4     5      deadline 2 counts as missed
  case skip

  /// Delivers every missed tick as fast as they are taken, then rejoins the original cadence.
  ///
  /// The missed ticks are kept as a number, not a queue, so they take no memory.
  ///
  ///     deadlines  1     2     3     4     5
  ///     consumer   [==============]
  ///     ticks      1              23 4     5
  case burst

  /// Delivers one tick for the newest deadline that passed and restarts the cadence from there.
  ///
  /// The next tick is due one interval after the late one was taken or, if the consumer was already waiting,
  /// after it fired. With several listeners, the first that takes the tick counts.
  ///
  ///     deadlines  1     2     3        |     |
  ///     consumer   [==============]
  ///     ticks      1              3     4     5      deadline 2 counts as missed
  ///
  /// A tick is also late if no deadline was missed. A lateness of up to five milliseconds, or an eighth of
  /// the interval if that is less, is a grace that keeps the cadence. Jitter, tolerance and pauses aren't
  /// lateness. Two ticks without a pause between them are at least `interval − grace − tolerance − jitter`
  /// apart. A tick by ``ScheduledTimer/fire()`` restarts nothing. Timers bound to the wall clock, by
  /// `.aligned` or by a rule, treat this as ``skip``.
  case delay
}
