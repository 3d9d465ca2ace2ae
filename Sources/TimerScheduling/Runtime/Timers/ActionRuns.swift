/// The progress of an action in its timer's ticks, and data on its runs.
struct ActionRuns {
  var cursor: TickCursor
  /// The last error the action threw.
  private(set) var failure: (any Error)?
  private(set) var failureCount = 0
  /// The task of the run under way, once it is known.
  var task: RunTask?
  /// The number of runs begun so far.
  var count: UInt64

  init(cursor: TickCursor, task: RunTask?, count: UInt64) {
    (self.cursor, self.task, self.count) = (cursor, task, count)
  }

  /// Keeps the action's error, and returns its previous one.
  mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    defer { failure = error }
    if counting { failureCount += 1 }
    return failure
  }
}

/// The task of a run.
package enum RunTask: Sendable {
  /// A task of the run's own.
  case own(Task<Void, Never>)
  /// A task that the run shares with other runs.
  case shared(Runner)

  /// Cancels the task. Must not be called under a lock, as it may run user code.
  func cancel() {
    switch self {
    case .own(let task): task.cancel()
    case .shared(let runner): runner.cancel()
    }
  }
}
