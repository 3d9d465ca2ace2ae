/// What has to be done outside a timer's lock after a change.
struct FollowUp: Sendable {
  /// What of the user's a timer has held. To cancel it and to release it may run the user's code.
  struct Remains: Sendable {
    var rule: (any TickRule)?
    var action: TimerAction?
    /// A run that is to be cancelled.
    var task: Task<Void, Never>?

    var isEmpty: Bool { rule == nil && action == nil && task == nil }
  }

  var consumers = WaitingConsumers()
  /// The run for which a task is to be started.
  var run: UInt32?
  var remains: Remains?
  /// The timer has finished, so that others can forget it.
  var isEnd = false
  /// When the scheduler is to have looked at the record, or nil if it needn't look.
  var look: Deadline?
}
