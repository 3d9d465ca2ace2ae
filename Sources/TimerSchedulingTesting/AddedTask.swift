/// A task that was added to a clock, and the executor of its jobs.
///
/// It runs the task, its child tasks and the default actors that they call, on the threads of the global executor. So
/// the clock knows all of their jobs, also those of tasks that yield, for which the runtime asks no hook.
///
/// It holds the core only, so that a task that waits for ever doesn't keep the clock.
final class AddedTask: TaskExecutor {
  private let core: VirtualClockCore
  private let number: UInt64

  init(on core: VirtualClockCore, name: String?, fileID: StaticString, line: UInt) {
    self.core = core
    let place = "\(fileID):\(line)"
    number = core.taskEntered(name: name.map { "\"\($0)\", added in \(place)," } ?? "added in \(place)")
  }

  /// Called by the task as it begins.
  func begin() {
    guard let task = TaskIdentity.current else { return }
    core.participantBegins(.task(number), in: task, isAdded: true)
  }

  /// Called by the task as it ends.
  func end() { core.participantEnds(.task(number), isAdded: true) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    JobTracker.shared.enqueue(job, for: core) {
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
