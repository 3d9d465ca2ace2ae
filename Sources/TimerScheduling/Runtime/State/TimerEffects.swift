/// The work to be done outside a timer's lock after a change.
///
/// It isn't copyable, because it is done once, and copying so many parts takes longer than most changes.
package struct TimerEffects: ~Copyable, Sendable {
  /// Tasks that should ask for a tick again.
  package var woken = SmallList<WaitingTask>()
  /// Tasks whose wait for the end is over.
  var endWaiters: [WaitingTask] = []
  /// The number of a run that has begun, for which a task must be started.
  package var nextRun: UInt64?
  /// Whether the action is bound to an actor other than its owner, so that a run has a task of its own.
  var isIsolated = false
  /// User values that the timer held. Until they are released, the end of a run counts as work.
  var heldValues = HeldValues()
  // These tell which of the parts above are present. Checking the parts themselves takes longer than most
  // changes.
  var hasTasksToStart = false
  var hasHeldValues = false
  var hasWaitsToEnd = false
  /// Whether a task must ask the rule, as the wall clock was set back.
  var asksRule = false
  /// The state before the change, if that was another.
  var formerState: TimerState?
  var isEnd = false
  var wakeup = Filing.Wakeup.none
  /// Whether the scheduler was found closed, which ends a timer without ticks to take.
  var isDriverClosed = false

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
