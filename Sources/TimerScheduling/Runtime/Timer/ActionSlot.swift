/// A timer's action, and the task that runs it while there is a tick to run it for.
///
/// Belongs to the gate of its timer.
struct ActionSlot {
  let onError: ActionErrorBehavior
  var cursor = TickCursor.start
  /// What the action last threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// Nil once the timer has finished.
  private(set) var action: TimerAction?
  /// The number of the run that is under way, from the call for its task to its end.
  private(set) var run: UInt64?
  private var task: RunTask?
  /// Whether the task is to be cancelled once its handle is here.
  private var isToBeCancelled = false
  private var runCount: UInt64 = 0

  init(_ action: TimerAction, onError: ActionErrorBehavior) {
    self.action = action
    self.onError = onError
  }

  // MARK: Runs

  var isIdle: Bool { run == nil }

  /// Calls for a task, unless there is one or the timer has finished. Returns the number of its run.
  mutating func call() -> UInt64? {
    guard isIdle, action != nil else { return nil }
    runCount += 1
    run = runCount
    return run
  }

  /// The run has ended. Returns whether its task was cancelled, or is about to be.
  mutating func end() -> Bool {
    defer { isToBeCancelled = false }
    run = nil
    // The task itself calls this, so this isn't its last reference.
    task = nil
    return isToBeCancelled
  }

  /// Keeps what the action has thrown, and returns what it threw before.
  mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    defer { failure = error }
    if counting { failureCount += 1 }
    return failure
  }

  // MARK: Cancelling

  /// Keeps the handle of a run's task. Returns true if the task is to be cancelled.
  mutating func keep(_ task: RunTask, of run: UInt64) -> Bool {
    guard self.run == run else { return false }
    self.task = task
    return isToBeCancelled
  }

  /// Returns the task that is to be cancelled, or has it cancelled when its handle comes.
  mutating func cancel() -> RunTask? {
    guard !isIdle else { return nil }
    isToBeCancelled = true
    return task
  }

  /// Gives up the action of a timer that has finished.
  mutating func giveUp() -> TimerAction? {
    defer { action = nil }
    return action
  }
}

/// The task of a run.
enum RunTask: Sendable {
  /// A task of its own.
  case own(Task<Void, Never>)
  /// One that it shares with other runs.
  case shared(Runner)

  /// Cancels the task. Not to be called under a lock, as it may run the user's code.
  func cancel() {
    switch self {
    case .own(let task): task.cancel()
    case .shared(let runner): runner.cancel()
    }
  }
}
