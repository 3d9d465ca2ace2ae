/// The state of a timer. A later version may have more states, so a switch needs an unknown default.
@nonexhaustive(warn)
public enum TimerState: Sendable, Hashable, CustomStringConvertible {
  /// The timer is waiting for its next deadline, or for a tick to be taken.
  case scheduled
  /// The timer is paused until it is resumed.
  case paused
  /// The timer has ended, for good.
  case finished(TimerFinishReason)

  /// Whether the timer has ended, for any reason.
  public var isFinished: Bool { if case .finished = self { true } else { false } }

  /// The state's name, such as `paused` or `finished(cancelled)`.
  public var description: String {
    switch self {
    case .scheduled: "scheduled"
    case .paused: "paused"
    case .finished(let reason): "finished(\(reason))"
    }
  }
}

/// The reason a timer has finished. A later version may have more reasons.
@nonexhaustive(warn)
public enum TimerFinishReason: Sendable, Hashable {
  /// The timer's last tick was taken, or fired without a consumer, and the last run has returned.
  case completed
  /// The timer was cancelled, or the last reference to it was released.
  case cancelled
  /// Another timer was made with the same name.
  case replaced
  /// The timer's owner was released.
  case ownerReleased
  /// The timer's action threw an error, under ``ActionErrorBehavior/finish``.
  case failed
  /// The timer's scheduler was shut down.
  case schedulerShutDown
}
