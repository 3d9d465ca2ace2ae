/// One run of an action, which a runner performs.
package protocol RunnerWork: Sendable {
  /// Performs the run in the current task, which is `runner`'s.
  ///
  /// Binds the task-local values that the run needs, and no others stay bound when it returns.
  ///
  /// - Returns: False if the runner's task was cancelled for this run. The runner then performs no other run.
  @concurrent func perform(in runner: Runner) async -> Bool

  /// Something that lies at both ends of the memory that the run uses first, to have it fetched.
  var ends: UInt64 { get }
}
