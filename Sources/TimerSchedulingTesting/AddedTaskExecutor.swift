/// Runs an added task, its child tasks and the default actors that they call, on the threads of the global executor.
///
/// So the clock knows all of their jobs, also those of tasks that yield, for which the runtime asks no hook.
final class AddedTaskExecutor: TaskExecutor {
  private let core: VirtualClockCore

  init(_ core: VirtualClockCore) { self.core = core }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    JobTracker.shared.enqueue(job, for: core) {
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
