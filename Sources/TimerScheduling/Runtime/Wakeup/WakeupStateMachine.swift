/// Decides which call a dispatch timer needs next, and keeps the calls balanced.
///
/// The machine never uses the timer; ``DispatchWakeupSource`` performs what it returns.
///
///     inactive ──arm──▶ armed ◀─arm─ suspended ◀──┐
///        │               │ ▲                      │
///        │          wakeup ▼ │ arm                disarm, from armed or expired
///        │             expired                    │
///        └──────── cancel, from every state ──▶ cancelled
package struct WakeupStateMachine: ~Copyable {
  private enum State {
    /// Created, never activated. Dispatch traps when a timer is released in this state.
    case inactive
    /// Active and due at `deadline`.
    case armed(deadline: Deadline)
    /// Active; its deadline has come and nothing is due.
    case expired
    /// Active but suspended once. Dispatch traps when a timer is released in this state.
    case suspended
    /// Cancelled and resumed. Every later event is ignored.
    case cancelled
  }

  private var state = State.inactive

  package init() {}

  package enum ArmAction: Equatable {
    case none
    case setDeadline
    case setDeadlineAndActivate
    case setDeadlineAndResume
  }

  package mutating func arm(at deadline: Deadline) -> ArmAction {
    switch state {
    case .inactive:
      state = .armed(deadline: deadline)
      return .setDeadlineAndActivate
    case .armed(let current):
      state = .armed(deadline: deadline)
      return current == deadline ? .none : .setDeadline
    case .expired:
      state = .armed(deadline: deadline)
      return .setDeadline
    case .suspended:
      state = .armed(deadline: deadline)
      return .setDeadlineAndResume
    case .cancelled:
      return .none
    }
  }

  package enum DisarmAction: Equatable {
    case none
    case suspend
  }

  package mutating func disarm() -> DisarmAction {
    switch state {
    case .armed, .expired:
      state = .suspended
      return .suspend
    case .inactive, .suspended, .cancelled:
      return .none
    }
  }

  /// Notes that the timer's handler was called.
  ///
  /// The handler may also be called for a deadline that passed while the timer was being suspended. That says nothing
  /// about the deadline armed since then; arming that one again does no harm.
  package mutating func wakeupDelivered() {
    switch state {
    case .armed: state = .expired
    case .inactive, .expired, .suspended, .cancelled: break
    }
  }

  package enum CancelAction: Equatable {
    case none
    case cancel
    /// A timer cancelled before its activation never calls its cancel handler.
    case activateAndCancel
    /// A suspended timer calls its cancel handler once it is resumed.
    case cancelAndResume
  }

  /// Cancels the timer before its release.
  package mutating func cancel() -> CancelAction {
    switch state {
    case .inactive:
      state = .cancelled
      return .activateAndCancel
    case .armed, .expired:
      state = .cancelled
      return .cancel
    case .suspended:
      state = .cancelled
      return .cancelAndResume
    case .cancelled:
      return .none
    }
  }
}
