/// What becomes of ticks whose deadlines passed before they could be delivered.
///
/// Deadlines are missed when the consumer was busy, the timer's queue was stalled or the process was
/// stopped. In the drawings `[====]` is a consumer that is busy.
public enum MissedTickBehavior: Sendable, Hashable {
  /// Delivers one tick for the newest deadline that passed and rejoins the original cadence.
  ///
  ///     deadlines  1    2    3    4    5    6
  ///     consumer   x[============]x    x    x
  ///     ticks      1              3    4    5 …   with the deadlines between counted as missed
  case skip

  /// Delivers every missed tick as fast as they are taken, then rejoins the original cadence.
  ///
  /// What is owed is a number, not a queue: it takes no memory.
  ///
  ///     deadlines  1    2    3    4    5    6
  ///     consumer   x[============]xx   x    x
  ///     ticks      1              23   4    5 …
  case burst

  /// Delivers one tick for the newest deadline that passed and restarts the cadence from there.
  ///
  /// The next tick is due one interval after the late one was taken, so ticks are never closer than an
  /// interval once one was late. Timers bound to the wall clock, by `.aligned` or by a rule, keep to
  /// it and treat this as ``skip``.
  ///
  ///     deadlines  1    2    3      |    |    |
  ///     consumer   x[=============] x    x    x
  ///     ticks      1                3    …    …
  case delay
}
