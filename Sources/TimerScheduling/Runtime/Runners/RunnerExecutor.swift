/// The executor of a pool's runners, of their child tasks, and of default actors that runs call.
///
/// Tasks that prefer the executor hold it, so the pool's threads stay while runs are suspended. It isn't generic,
/// because the runtime calls the `enqueue` of a generic type unspecialized, which took a microsecond.
package final class RunnerExecutor: TaskExecutor {
  private let add: @Sendable (UnownedJob, RunnerExecutor) -> Void

  init(_ add: @escaping @Sendable (UnownedJob, RunnerExecutor) -> Void) {
    self.add = add
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    add(UnownedJob(job), self)
  }
}
