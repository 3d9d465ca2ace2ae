/// Decides which calls a dispatch timer needs next, and keeps them balanced. ``DispatchWakeupSource`` makes
/// them.
///
///     inactive ──arm──▶ armed ◀──arm / disarm──▶ idle
///        └─────── cancel, from every state ──▶ cancelled
///
/// No call suspends the timer. If a timer's old deadline comes while it is suspended and has a new one,
/// Dispatch's own thread takes it out. A resume at that moment doesn't see that, and the timer never fires
/// again (`_dispatch_timers_run` and `_dispatch_source_wakeup` of libdispatch in Swift 6.3).
///
/// A timer that is armed anew wakes Dispatch's own thread. So once the second of two distances between
/// deadlines equals the first, the timer repeats. It isn't armed anew for a deadline at which it fires
/// anyway. That is the first multiple of the period after Dispatch's last look at the clock, and the pass of
/// a wakeup looks at the clock later.
package struct WakeupStateMachine: ~Copyable {
  /// Calls on the timer, to be made in this order.
  package struct Calls: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let setDeadline = Calls(rawValue: 1)
    package static let activate = Calls(rawValue: 2)
    package static let clearDeadline = Calls(rawValue: 4)
    package static let cancel = Calls(rawValue: 8)
  }

  private enum State {
    /// Created, never activated. Dispatch traps when a timer is released in this state.
    case inactive
    /// With a deadline that is ahead or has come.
    case armed
    /// Activated, and without a deadline.
    case idle
    /// Every later event is ignored.
    case cancelled
  }

  private var state = State.inactive
  /// The deadline of the last call, and its distance from the one before.
  private var last = Deadline.past
  private var distance = Interval.zero
  /// The time after which the timer fires again. Nil if it fires once.
  package private(set) var period: Interval?

  package init() {}

  /// Has the timer fire at `deadline`, in place of an earlier call's deadline or after that has come.
  package mutating func arm(at deadline: Deadline) -> Calls {
    let step = deadline - last
    if state == .armed, step == period {
      last = deadline
      return []
    }
    period = step > .zero && step == distance ? step : nil
    (last, distance) = (deadline, step)
    defer { if state != .cancelled { state = .armed } }
    return switch state {
    case .inactive: [.setDeadline, .activate]
    case .armed, .idle: .setDeadline
    case .cancelled: []
    }
  }

  package mutating func disarm() -> Calls {
    guard state == .armed else { return [] }
    state = .idle
    return .clearDeadline
  }

  /// Cancels the timer before its release.
  package mutating func cancel() -> Calls {
    defer { state = .cancelled }
    return switch state {
    // A timer cancelled before its activation never calls its cancel handler.
    case .inactive: [.activate, .cancel]
    case .armed, .idle: .cancel
    case .cancelled: []
    }
  }
}
