/// One run of an action for one tick, from the beginning of its task to its end.
///
/// An action, functions it calls, and an ``TimerScheduler/Configuration/interceptor`` read ``current`` to
/// learn for which timer they run. Tasks that an action makes inherit it. It doesn't keep the timer alive.
public struct ActionRun: Sendable, Hashable {
  /// The identifier of the timer.
  public let timer: TimerID
  /// The name under which the timer was made.
  public let name: String?
  package let number: UInt64
}

/// A function that encloses the run of an action for one tick, passed as `body`.
public typealias ActionInterceptor =
  nonisolated(nonsending) @Sendable (
    _ tick: TimerTick, _ body: nonisolated(nonsending) @Sendable () async throws -> Void
  ) async throws -> Void

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
