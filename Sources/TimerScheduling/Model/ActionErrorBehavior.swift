/// The effect on a timer if its action throws.
///
/// In either case the error is kept as the timer's ``ScheduledTimer/failure``.
@nonexhaustive(warn)
public enum ActionErrorBehavior: Sendable, Hashable {
  /// The timer continues, and runs the action again at its next tick.
  case keepTicking
  /// The timer finishes as ``TimerFinishReason/failed``.
  case finish
}
