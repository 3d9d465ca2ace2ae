/// Decides which calls a dispatch timer needs next, and keeps them balanced. ``DispatchWakeupSource`` makes
/// them.
///
///     inactive ──arm──▶ active ◀──arm / disarm──▶ suspended
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
    /// Active, with a deadline that is ahead or has come.
    case active
    /// Active but suspended once. Dispatch traps when a timer is released in this state.
    case suspended
    /// Cancelled and resumed. Every later event is ignored.
    case cancelled
  }

  private var state = State.inactive

  package init() {}

  package mutating func arm() -> Calls {
    defer { if state != .cancelled { state = .active } }
    return switch state {
    case .inactive: [.setDeadline, .activate]
    case .active: .setDeadline
    case .suspended: [.setDeadline, .resume]
    case .cancelled: []
    }
  }

  package mutating func disarm() -> Calls {
    guard state == .active else { return [] }
    state = .suspended
    return .suspend
  }

  /// Cancels the timer before its release.
  package mutating func cancel() -> Calls {
    defer { state = .cancelled }
    return switch state {
    // A timer cancelled before its activation never calls its cancel handler.
    case .inactive: [.activate, .cancel]
    case .active: .cancel
    // A suspended timer calls its cancel handler once it is resumed.
    case .suspended: [.cancel, .resume]
    case .cancelled: []
    }
  }
}
