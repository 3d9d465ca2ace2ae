/// Runs the jobs of a pool's runners, of their child tasks, and of default actors that runs call.
///
/// Tasks that prefer the executor keep it, so the pool's threads stay while runs are suspended. It isn't generic,
/// as the runtime calls a generic type's `enqueue` unspecialized, which took a microsecond.
package final class RunnerExecutor: TaskExecutor {
  private let add: @Sendable (UnownedJob, RunnerExecutor) -> Void

  init(_ add: @escaping @Sendable (UnownedJob, RunnerExecutor) -> Void) {
    self.add = add
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    add(UnownedJob(job), self)
  }
}
