/// What becomes of a timer whose action throws.
///
/// Either way the error is kept as the timer's ``ScheduledTimer/failure``.
@nonexhaustive(warn)
public enum ActionErrorBehavior: Sendable, Hashable {
  /// The timer goes on, and runs the action again at its next tick.
  case keepTicking
  /// The timer finishes as ``ScheduledTimer/FinishReason/failed``.
  case finish
}
