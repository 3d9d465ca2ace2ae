/// How far an action has come in its timer's ticks, and the run that is under way.
struct ActionRuns {
  var cursor = TickCursor.start
  /// What the action last threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// The number of the run that is under way, from the call for its task to its end.
  private(set) var current: UInt64?
  private var task: RunTask?
  /// Whether the task is to be cancelled once its handle is here.
  private var isToBeCancelled = false
  private var count: UInt64 = 0

  // MARK: Runs

  var isIdle: Bool { current == nil }

  /// Begins a run. Returns its number, or nil while there is another.
  mutating func begin() -> UInt64? {
    guard isIdle else { return nil }
    count += 1
    current = count
    return count
  }

  /// The run has ended. Returns whether its task was cancelled, or is about to be.
  mutating func end() -> Bool {
    defer { isToBeCancelled = false }
    current = nil
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
    guard current == run else { return false }
    self.task = task
    return isToBeCancelled
  }

  /// Returns the task that is to be cancelled, or has it cancelled when its handle comes.
  mutating func cancel() -> RunTask? {
    guard !isIdle else { return nil }
    isToBeCancelled = true
    return task
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
