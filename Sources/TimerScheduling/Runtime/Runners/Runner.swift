/// A task that performs one run after another.
package final class Runner: Sendable {
  /// The runner's task, nil only until it has been made, which is before its first run.
  ///
  /// It is set by the worker that makes the runner, before the worker runs the task's first job. Only the runs of that
  /// task pass the runner to other threads, through the lock of their timer. So on any processor each of these reads
  /// it after it was set.
  nonisolated(unsafe) private var task: Task<Void, Never>?

  /// Makes a runner with the task that `makeTask` returns. That task must not begin before this initializer returns.
  package init(_ makeTask: (Runner) -> Task<Void, Never>) {
    unsafe task = makeTask(self)
  }

  /// Cancels the task. Cancelling runs cancellation handlers, so don't call this while a lock is held.
  ///
  /// The caller makes sure that the run to be cancelled has not ended, or that ``RunnerWork/perform(in:)`` returns
  /// false for it. Otherwise the next run would be cancelled.
  package func cancel() {
    unsafe task?.cancel()
  }
}
