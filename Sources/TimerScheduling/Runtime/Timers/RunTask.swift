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
