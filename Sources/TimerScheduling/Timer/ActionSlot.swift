/// A timer's action, and the task that runs it while there is something to run.
///
/// Belongs to the gate of its timer.
final class ActionSlot {
  enum Phase {
    case idle
    /// The task with this number is about to run the action, or runs it.
    case running(UInt32)
  }

  /// Nil once the timer has finished.
  var action: TimerAction?
  let onError: ActionErrorBehavior
  var cursor = TickCursor.start
  var phase = Phase.idle
  var task: Task<Void, Never>?
  /// Whether the task is to be cancelled as soon as its handle is here.
  var isToBeCancelled = false
  /// What the action last threw.
  var failure: (any Error)?
  private var runCount: UInt32 = 0

  init(_ action: TimerAction, onError: ActionErrorBehavior) {
    self.action = action
    self.onError = onError
  }

  var isIdle: Bool {
    switch phase {
    case .idle: true
    case .running: false
    }
  }

  func beginRun() -> UInt32 {
    runCount &+= 1
    phase = .running(runCount)
    return runCount
  }

  /// The task has nothing left to run. Returns its handle.
  func endRun() -> Task<Void, Never>? {
    defer { task = nil }
    phase = .idle
    isToBeCancelled = false
    return task
  }
}
