extension ScheduledTimer {
  /// The state of a timer.
  ///
  /// A `switch` over it needs an `@unknown default`, because a later version may have more cases. So does one over an
  /// optional state, as of a timer that may not be there, beside its `case nil`.
  @nonexhaustive(warn)
  public enum State: Sendable, Hashable {
    /// The timer is waiting for its next deadline, or for a tick to be taken.
    case scheduled
    /// The timer is paused until it is resumed.
    case paused
    /// The timer has ended, for good.
    case finished(FinishReason)

    /// Whether the timer has ended, for any reason.
    public var isFinished: Bool {
      switch self {
      case .scheduled, .paused: false
      case .finished: true
      }
    }
  }

  /// The reason a timer has finished.
  ///
  /// A `switch` over it needs an `@unknown default`, because a later version may have more cases. So does one over the
  /// optional reason that ``ScheduledTimer/waitUntilFinished()`` returns, beside its `case nil`.
  @nonexhaustive(warn)
  public enum FinishReason: Sendable, Hashable {
    /// The timer's last tick was taken, or fired without a consumer to take it. For a timer with an action, the last
    /// run has returned.
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

  /// Identifies a timer. No other timer of any scheduler in the process ever has the same identifier.
  public struct ID: Sendable {
    let number: UInt64
    /// The timer's place in its driver, as far as known. It plays no part in comparing identifiers.
    package var place: UInt32?
  }
}

extension ScheduledTimer.State: CustomStringConvertible {
  /// The state's name, such as `paused` or `finished(cancelled)`.
  public var description: String {
    switch self {
    case .scheduled: "scheduled"
    case .paused: "paused"
    case .finished(let reason): "finished(\(reason))"
    }
  }
}

extension ScheduledTimer.ID: Hashable {
  /// Returns whether two identifiers belong to the same timer.
  public static func == (left: ScheduledTimer.ID, right: ScheduledTimer.ID) -> Bool {
    left.number == right.number
  }

  /// Hashes the identity of the timer.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ScheduledTimer.ID: LosslessStringConvertible {
  /// Creates the identifier with this description, such as one sent back by a page that showed it.
  public init?(_ description: String) {
    guard let number = UInt64(description) else { return nil }
    self.number = number
  }

  /// A decimal number.
  public var description: String { String(number) }
}

// The names of these types below `API/`.
package typealias TimerState = ScheduledTimer.State
package typealias TimerFinishReason = ScheduledTimer.FinishReason
package typealias TimerID = ScheduledTimer.ID
