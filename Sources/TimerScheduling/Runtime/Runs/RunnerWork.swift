/// One run of an action, performed by a runner.
package protocol RunnerWork: Sendable {
  /// Performs the run in the current task, which is `runner`'s.
  ///
  /// Binds the task-local values that the run needs. None of them stays bound when it returns.
  ///
  /// - Returns: False if the runner's task was cancelled for this run. The runner then performs no other run.
  @concurrent func perform(in runner: Runner) async -> Bool

  /// A value read from both ends of the memory that the run uses first, so that the memory is fetched.
  var ends: UInt64 { get }
}
