/// When a timer that was paused ticks next.
///
/// In the drawings a timer of ten seconds is paused four seconds after its first tick and resumed twelve
/// seconds later. Deadlines that pass during a pause aren't missed ticks: a paused timer has none.
@nonexhaustive(warn)
public enum ResumeBehavior: Sendable, Hashable {
  /// After the time that was left, to the nanosecond. The cadence goes on from there.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x                     x         x         x
  ///
  /// A timer that only starts at a date is moved as any other. Dates that are the wall clock's own aren't: the
  /// schedules ``TimerSchedule/at(_:)`` and ``TimerSchedule/rule(_:)``, and the start
  /// ``TimerSchedule/Start/aligned``, treat this as ``keepingPhase``.
  case keepingRemainingTime

  /// At the next of the deadlines that the timer would have had without the pause.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x                   x         x         x
  ///
  /// A timer of one tick whose deadline has passed ticks at once.
  case keepingPhase

  /// At once. The cadence starts anew from there.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x               x         x         x
  ///
  /// For a timer of one tick that is the one. Cadences of the wall clock's own, those that are
  /// aligned and those of rules, aren't moved: the tick comes in addition. So it does for a countdown, whose
  /// values follow its time.
  case immediately
}
