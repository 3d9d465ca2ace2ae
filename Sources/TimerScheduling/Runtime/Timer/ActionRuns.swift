/// How far an action has come in its timer's ticks, and what there is to know of its runs.
struct ActionRuns {
  var cursor: TickCursor
  /// What the action last threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// The task of the run that is under way, once that is known.
  var task: RunTask?
  /// The number of runs that have begun.
  var count: UInt64

  init(cursor: TickCursor, task: RunTask?, count: UInt64) {
    (self.cursor, self.task, self.count) = (cursor, task, count)
  }

  /// Keeps what the action has thrown, and returns what it threw before.
  mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    defer { failure = error }
    if counting { failureCount += 1 }
    return failure
  }
}

/// The task of a run.
package enum RunTask: Sendable {
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
