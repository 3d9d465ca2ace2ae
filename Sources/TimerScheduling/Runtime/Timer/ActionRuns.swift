/// How far an action has come in its timer's ticks, and the run that is under way.
struct ActionRuns {
  var cursor: TickCursor
  /// What the action last threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// The run that is under way, from the call for its task to its end.
  private(set) var current: TrackedRun?
  /// The number of runs that have begun.
  private(set) var count: UInt64

  init(current: TrackedRun?, count: UInt64, cursor: TickCursor) {
    (self.current, self.count, self.cursor) = (current, count, cursor)
  }

  mutating func begin(_ run: TrackedRun) {
    count += 1
    current = run
  }

  mutating func end() { current = nil }

  /// Keeps what the action has thrown, and returns what it threw before.
  mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    defer { failure = error }
    if counting { failureCount += 1 }
    return failure
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
