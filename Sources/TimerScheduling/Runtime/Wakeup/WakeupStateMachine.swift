/// Decides which calls a dispatch timer needs next, and keeps them balanced. ``DispatchWakeupSource`` makes them.
///
///     inactive ──arm──▶ armed ◀─arm─ suspended ◀──┐
///        │               │ ▲                      │
///        │          wakeup ▼ │ arm                disarm, from armed or expired
///        │             expired                    │
///        └──────── cancel, from every state ──▶ cancelled
package struct WakeupStateMachine: ~Copyable {
  /// Calls on the timer, to be made in this order.
  package struct Calls: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let setDeadline = Calls(rawValue: 1)
    package static let activate = Calls(rawValue: 2)
    package static let suspend = Calls(rawValue: 4)
    package static let cancel = Calls(rawValue: 8)
    package static let resume = Calls(rawValue: 16)
  }

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

  package mutating func arm(at deadline: Deadline) -> Calls {
    let calls: Calls
    switch state {
    case .inactive: calls = [.setDeadline, .activate]
    case .armed(let current): calls = current == deadline ? [] : .setDeadline
    case .expired: calls = .setDeadline
    case .suspended: calls = [.setDeadline, .resume]
    case .cancelled: return []
    }
    state = .armed(deadline: deadline)
    return calls
  }

  package mutating func disarm() -> Calls {
    switch state {
    case .armed, .expired:
      state = .suspended
      return .suspend
    case .inactive, .suspended, .cancelled:
      return []
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

  /// Cancels the timer before its release.
  package mutating func cancel() -> Calls {
    defer { state = .cancelled }
    return switch state {
    // A timer cancelled before its activation never calls its cancel handler.
    case .inactive: [.activate, .cancel]
    case .armed, .expired: .cancel
    // A suspended timer calls its cancel handler once it is resumed.
    case .suspended: [.cancel, .resume]
    case .cancelled: []
    }
  }
}
