/// The executor of a pool's runners, of their child tasks, and of default actors that runs call.
///
/// Tasks that prefer the executor hold it, so the pool's threads stay while runs are suspended. It is a class of its
/// own below ``RunnerPool``, because the runtime calls the `enqueue` of a generic type unspecialized, which took a
/// microsecond.
///
/// It isn't checked to be `Sendable`, as it has a subclass. Both have only constants of types that are.
package class RunnerExecutor: TaskExecutor, @unchecked Sendable {
  private let add: @Sendable (RunnerExecutor, UnownedJob) -> Void

  /// Makes an executor that passes itself to `add` with each job.
  init(_ add: @escaping @Sendable (RunnerExecutor, UnownedJob) -> Void) {
    self.add = add
  }

  package final func enqueue(_ job: consuming ExecutorJob) {
    add(self, UnownedJob(job))
  }
}
