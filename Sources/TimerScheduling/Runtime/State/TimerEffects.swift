/// The work to be done outside a timer's lock after a change.
///
/// It isn't copyable, because it is done once, and copying so many parts takes longer than most changes.
package struct TimerEffects: ~Copyable, Sendable {
  /// The kinds of work that a change has left. Checking the properties below takes longer than most changes.
  var parts: Parts = []
  /// Tasks that should ask for a tick again.
  package var woken = SmallList<WaitingTask>()
  /// Tasks whose wait for the end is over.
  var endWaiters: [WaitingTask] = []
  /// The number of a run that has begun, for which a task must be started.
  package var nextRun: UInt64?
  /// User values that the timer held. Until they are released, the end of a run counts as work.
  var heldValues = HeldValues()
  /// The state before the change, if that was another.
  var formerState: TimerState?
  var wakeup = Filing.Wakeup.none

  struct Parts: OptionSet {
    let rawValue: UInt8
    /// ``woken`` has tasks, or there is a ``nextRun``.
    static let tasks = Self(rawValue: 1 << 0)
    /// The action of ``nextRun`` is bound to an actor other than its owner, so the run has a task of its own.
    static let isolatedRun = Self(rawValue: 1 << 1)
    /// A task must ask the rule, as the wall clock was set back.
    static let question = Self(rawValue: 1 << 2)
    /// The timer has ended.
    static let end = Self(rawValue: 1 << 3)
    /// There are ``heldValues``.
    static let heldValues = Self(rawValue: 1 << 4)
    /// There are ``endWaiters``.
    static let endWaiters = Self(rawValue: 1 << 5)
    /// The scheduler was found closed, which ends a timer without ticks to take.
    static let closed = Self(rawValue: 1 << 6)
  }

  /// User values held by a finished timer. Cancelling or releasing them can run user code.
  struct HeldValues: Sendable {
    var action: TimerAction?
    /// Cancels a running action. Also holds the rule, if there is one.
    var others: (@Sendable () -> Void)?

    var isEmpty: Bool { action == nil && others == nil }

    /// Cancels a running action, and releases all values.
    mutating func release() {
      others?()
      self = HeldValues()
    }

    mutating func take() -> HeldValues {
      defer { self = HeldValues() }
      return self
    }
  }
}
