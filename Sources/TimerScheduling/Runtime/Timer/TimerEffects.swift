/// What has to be done outside a timer's lock after a change.
///
/// Not copyable, as it is done once, and as to copy so many parts takes longer than most changes.
struct TimerEffects: ~Copyable, Sendable {
  /// Tasks that are to ask for a tick again.
  var woken = WaitList<WaitingTask>()
  /// Tasks whose wait for the end is over.
  var endWaiters: [WaitingTask] = []
  /// Whether a run begins.
  var beginsRun = false
  /// The number of a run for which a task is to be started.
  var nextRun: UInt64?
  /// Whether the action is bound to an actor.
  var isIsolated = false
  /// A run that has ended.
  var endedRun: TrackedRun?
  /// The user's values that the timer held. Until they are released, the end of a run counts as work.
  var remains = Remains()
  // Which of these there are. To look at them takes longer than most changes.
  var hasTasksToStart = false
  var hasRemains = false
  var hasWaitsToEnd = false
  /// What has become of the timer's state.
  var transition: TimerTransition
  /// The pass that the filing of the timer makes necessary.
  var wakeup = TimerDriver.Wakeup.none
  /// The driver was found closed, which ends the timer.
  var isDriverClosed = false

  init(_ transition: TimerTransition = .none) { self.transition = transition }

  /// User values held by a finished timer. Cancelling or releasing them can run user code.
  struct Remains: Sendable {
    var action: TimerAction?
    /// An object, as few timers have more than an action.
    var others: Others?

    var isEmpty: Bool { action == nil && others == nil }

    /// Cancels what is running, and releases everything.
    mutating func release() {
      others?.task?.cancel()
      self = Remains()
    }

    /// Takes everything out.
    mutating func take() -> Remains {
      defer { self = Remains() }
      return self
    }

    final class Others: Sendable {
      let rule: (any TickRule)?
      /// A run that is to be cancelled.
      let task: RunTask?

      init(rule: (any TickRule)?, task: RunTask?) {
        self.rule = rule
        self.task = task
      }
    }
  }
}
