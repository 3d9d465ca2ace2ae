/// What has to be done outside a timer's lock after a change.
///
/// Not copyable, as it is done once, and as to copy so many parts takes longer than most changes.
struct FollowUp: ~Copyable, Sendable {
  var consumers = WaitingConsumers()
  /// The run for which a task is to be started.
  var run: UInt32?
  var remains = Remains()
  /// What has become of the timer.
  var news = TimerNews.none
  /// The timer has finished, so that others can forget it.
  var isEnd = false
  /// When the scheduler is to have looked at the record, or nil if it needn't look.
  var look: Deadline?

  /// What of the user's an ended timer has held. To cancel it and to release it may run the user's code.
  struct Remains: Sendable {
    var action: TimerAction?
    /// An object, as few timers have more than an action.
    var others: Others?

    var isEmpty: Bool { action == nil && others == nil }

    /// Cancels what is running.
    func cancel() { others?.task?.cancel() }

    final class Others: Sendable {
      let rule: (any TickRule)?
      /// A run that is to be cancelled.
      let task: Task<Void, Never>?

      init(rule: (any TickRule)?, task: Task<Void, Never>?) {
        self.rule = rule
        self.task = task
      }
    }
  }
}
