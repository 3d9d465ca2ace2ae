/// What has to be done outside a timer's lock after a change.
///
/// Not copyable, as it is done once, and as to copy so many parts takes longer than most changes.
struct FollowUp: ~Copyable, Sendable {
  /// Tasks that are to ask for a tick again.
  var consumers = WaitingConsumers()
  /// Tasks whose wait for the end is over.
  var endWaiters: [WaitingConsumer]?
  /// The number of a run for which a task is to be started.
  var calledRun: UInt64?
  /// An object, as few changes begin or end a run.
  var runs: Runs?
  var remains = Remains()
  /// What has become of the timer.
  var news = TimerNews.none
  /// The timer has finished, so that others can forget it.
  var isEnd = false
  /// The pass that the filing of the timer makes necessary.
  var wakeup = TimerDriver.Wakeup.none
  /// The driver was found closed, which ends the timer.
  var isDriverClosed = false

  /// The runs of the action that a change begins and ends.
  final class Runs: Sendable {
    /// The run for which a task is to be started.
    let next: TrackedRun?
    /// The actor on which that run begins, if its action is bound to one.
    let isolation: (any Actor)?
    let ended: TaskTracker.EndedRun?

    init(next: TrackedRun?, on isolation: (any Actor)?, ended: TaskTracker.EndedRun?) {
      self.next = next
      self.isolation = isolation
      self.ended = ended
    }
  }

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
