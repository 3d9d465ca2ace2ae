/// What has to be done outside a timer's lock after a change.
struct FollowUp: Sendable {
  /// A task to be started for the action.
  struct Run: Sendable {
    let action: TimerAction
    let number: UInt32
  }

  /// What of the user's a timer has held. To cancel it and to release it may run the user's code.
  struct Leftovers: Sendable {
    var rule: (any TickRule)?
    var action: TimerAction?
    var task: Task<Void, Never>?
    var failure: (any Error)?

    var isEmpty: Bool { rule == nil && action == nil && task == nil && failure == nil }
  }

  var consumers = WaitingConsumers()
  var run: Run?
  var leftovers: Leftovers?
  /// The timer has finished, so that others can forget it.
  var isEnd = false
  var isToBePosted = false
}
