extension ScheduledTimer {
  /// Whether a timer is running.
  @nonexhaustive(warn)
  public enum State: Sendable, Hashable {
    /// The timer waits for its next deadline, or for a tick to be taken.
    case scheduled
    /// The timer is stopped until it is resumed.
    case paused
    /// The timer has ended, for good.
    case finished(FinishReason)

    /// Whether the timer has ended, for whatever reason.
    public var isFinished: Bool {
      switch self {
      case .scheduled, .paused: false
      case .finished: true
      }
    }
  }

  /// Why a timer has finished.
  @nonexhaustive(warn)
  public enum FinishReason: Sendable, Hashable {
    /// Its last tick was taken, or has fired with nobody there to take it. The last run of an action has
    /// returned.
    case completed
    /// It was cancelled, or nobody held it any more.
    case cancelled
    /// Another timer took its name.
    case replaced
    /// Its owner is gone.
    case ownerReleased
    /// Its action has thrown an error, under ``ActionErrorBehavior/finish``.
    case failed
    /// Its scheduler was shut down.
    case schedulerShutDown
  }

  /// Stands for one timer. It is never used for another, in no scheduler of the process.
  public struct ID: Sendable {
    let number: UInt64
    /// Where the timer's driver keeps it, as far as is known. Not a part of what tells timers apart.
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
  /// Whether both stand for the same timer.
  public static func == (left: ScheduledTimer.ID, right: ScheduledTimer.ID) -> Bool {
    left.number == right.number
  }

  /// Hashes the timer that this stands for.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ScheduledTimer.ID: LosslessStringConvertible {
  /// The identifier with this description, such as comes back from a page that showed it.
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
