/// One run of an action, performed by a runner.
package protocol RunnerWork: Sendable {
  /// Performs the run in the current task, which is `runner`'s. Binds the task-local values that the run needs, and
  /// leaves none of them bound.
  ///
  /// - Returns: False if the runner's task was cancelled for this run. The runner then performs no other run.
  @concurrent func perform(in runner: Runner) async -> Bool

  /// A value read from both ends of the memory that the run uses first, so that the memory is fetched.
  var ends: UInt64 { get }
}

/// A task that performs one run after another.
package final class Runner: Sendable {
  /// The runner's task, nil only until it has been made, which is before its first run.
  ///
  /// If a run that has it cancelled has ended, ``RunnerWork/perform(in:)`` must have returned false for it. Otherwise
  /// the next run would be cancelled.
  ///
  /// It is set by the worker that makes the runner, before the worker runs the task's first job. Only the runs of that
  /// task read it.
  @safe nonisolated(unsafe) package private(set) var task: Task<Void, Never>?

  /// Makes a runner with the task that `makeTask` returns. That task must not begin before this initializer returns.
  package init(_ makeTask: (Runner) -> Task<Void, Never>) { task = makeTask(self) }
}
