/// A timer's action, and the task that runs it while there is something to run.
///
/// Belongs to the gate of its timer.
struct ActionSlot {
  private enum Phase {
    case idle
    /// A task was called for, which takes the action when it begins.
    case called(TimerAction, run: UInt32)
    /// A task asks for ticks and runs the action for them.
    case running(run: UInt32)
  }

  let onError: ActionErrorBehavior
  var cursor = TickCursor.start
  /// What the action last threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// Nil once the timer has finished.
  private var action: TimerAction?
  private var phase = Phase.idle
  private var task: Task<Void, Never>?
  /// Whether the task is to be cancelled once its handle is here.
  private var isToBeCancelled = false
  private var runCount: UInt32 = 0

  init(_ action: TimerAction, onError: ActionErrorBehavior) {
    self.action = action
    self.onError = onError
  }

  // MARK: Runs

  var isIdle: Bool {
    switch phase {
    case .idle: true
    case .called, .running: false
    }
  }

  func isIn(_ run: UInt32) -> Bool {
    switch phase {
    case .called(_, run), .running(run): true
    case .idle, .called, .running: false
    }
  }

  /// Calls for a task, unless there is one or the timer has finished. Returns the number of its run.
  mutating func call() -> UInt32? {
    guard isIdle, let action else { return nil }
    runCount &+= 1
    phase = .called(action, run: runCount)
    return runCount
  }

  /// The task begins, and gets the action, which nobody else need hold.
  mutating func begin() -> TimerAction? {
    switch phase {
    case .called(let action, let run):
      phase = .running(run: run)
      return action
    case .idle, .running:
      return nil
    }
  }

  /// The task has nothing left to run.
  mutating func end() {
    phase = .idle
    isToBeCancelled = false
    // It is the task that is running, so this isn't its last reference.
    task = nil
  }

  /// Keeps what the action has thrown, and returns what it threw before.
  mutating func note(_ error: any Error, isFailure: Bool) -> (any Error)? {
    defer { failure = error }
    if isFailure { failureCount += 1 }
    return failure
  }

  // MARK: Cancelling

  /// Keeps the handle of a run's task. Returns true if the task is to be cancelled.
  mutating func keep(_ task: Task<Void, Never>, of run: UInt32) -> Bool {
    guard isIn(run) else { return false }
    self.task = task
    return isToBeCancelled
  }

  /// Returns the task that is to be cancelled, or has it cancelled when its handle comes.
  mutating func cancel() -> Task<Void, Never>? {
    guard !isIdle else { return nil }
    isToBeCancelled = true
    return task
  }

  /// Gives up the action of a timer that has finished. A run that was called for keeps its own.
  mutating func giveUp() -> TimerAction? {
    defer { action = nil }
    return action
  }
}
