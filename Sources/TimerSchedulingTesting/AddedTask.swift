/// A task added to a clock, and the executor of its jobs.
///
/// The executor runs the task, its child tasks and the default actors they call on the threads of the global
/// executor. So the clock knows all of their jobs, even those of tasks that yield, for which the runtime calls no
/// hook.
///
/// It holds only the clock's core, so that a task that waits forever doesn't keep the clock alive.
final class AddedTask: TaskExecutor {
  private let core: VirtualClockCore
  private let number: UInt64

  init(on core: VirtualClockCore, name: String?, fileID: StaticString, line: UInt) {
    self.core = core
    let place = "\(fileID):\(line)"
    number = core.taskEntered(name: name.map { "\"\($0)\", added in \(place)," } ?? "added in \(place)")
  }

  /// Notes that the task begins. The task calls this itself.
  func begin() {
    guard let task = TaskIdentity.current else { return }
    core.participantBegins(.task(number), in: task, isAdded: true)
  }

  /// Notes that the task ends. The task calls this itself.
  func end() { core.participantEnds(.task(number), isAdded: true) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    JobTracker.shared.enqueue(job, for: core) {
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
