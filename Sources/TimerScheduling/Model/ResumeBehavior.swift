/// The time of the first tick after a pause.
///
/// In the drawings a timer of ten seconds is paused four seconds after its first tick and resumed twelve
/// seconds later. Deadlines that pass during a pause aren't missed ticks: a paused timer has no deadlines.
@nonexhaustive(warn)
public enum ResumeBehavior: Sendable, Hashable {
  /// Ticks after the time that was left, to the nanosecond. The cadence continues from there.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x                     x         x         x
  ///
  /// A pause also shifts a timer that starts at a date, as only its first tick is bound to that.
  /// ``TimerSchedule/at(_:)``, ``TimerSchedule/rule(_:)`` and ``TimerSchedule/Start/aligned`` are fixed on
  /// the wall clock and treat this as ``keepingPhase``.
  case keepingRemainingTime

  /// Ticks at the next of the deadlines that the timer would have had without the pause.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x                   x         x         x
  ///
  /// A timer of one tick whose deadline has passed ticks at once.
  case keepingPhase

  /// Ticks at once. The cadence starts anew from there.
  ///
  ///     time     0         10        20        30        40        50
  ///     paused                 [===========]
  ///     ticks              x               x         x         x
  ///
  /// For a timer of one tick, this is that tick. The cadences of aligned timers, rules and countdowns aren't
  /// shifted: the tick is additional.
  case immediately
}
