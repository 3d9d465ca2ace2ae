/// A task that performs one run after another.
package final class Runner: Sendable {
  /// Nil only until the task has been made, which is before its first run.
  ///
  /// Set by the worker that makes the runner, before it runs the task's first job. Only runs hand the runner to
  /// other threads, so each of them reads it later.
  nonisolated(unsafe) private var task: Task<Void, Never>?

  /// Makes a runner whose task is what `makeTask` returns. That task must not begin before this returns.
  package init(_ makeTask: (Runner) -> Task<Void, Never>) {
    unsafe task = makeTask(self)
  }

  /// Cancels the task. Cancelling runs cancellation handlers, so don't call this while a lock is held.
  ///
  /// The caller makes sure that the run it means has not ended, or that ``RunnerWork/perform(in:)`` returns false
  /// for it. Otherwise the next run finds itself cancelled.
  package func cancel() {
    unsafe task?.cancel()
  }
}
