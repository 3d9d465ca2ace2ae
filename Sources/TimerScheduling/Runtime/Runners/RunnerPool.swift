/// Performs runs of actions in tasks that they share.
///
/// A runner is a task that performs one run after another. When a run suspends, the worker that performed it gets
/// its thread back, and has another runner perform the runs that are left. So a run that doesn't suspend takes no
/// task of its own, and no run waits for another one's suspension. Resumed runs and their child tasks are run by
/// the same workers, in turns with new runs.
///
/// A worker is a thread that the pool has while there is work. Dispatch provides it from the threads of serial
/// queues, so the pool goes on while all threads of Swift's tasks are blocked. If the pool's own are blocked, it
/// starts others in their place.
///
/// Runs that have begun or wait don't need the pool: they end after it is released. An idle pool has neither tasks
/// nor threads.
package final class RunnerPool<Work: RunnerWork>: Sendable {
  /// The most workers that a pool adds while others are blocked. Dispatch has 255 threads for serial queues.
  private static var addedWorkerLimit: Int { 64 }

  /// The executor that the tasks of runs prefer.
  package let executor: RunnerExecutor
  private let core: RunnerCore<Work>

  /// Makes a pool whose workers are at most `width`, and more only while some are blocked.
  package convenience init(label: String, width: Int) {
    precondition(width > 0, "A pool has at least one worker.")
    self.init(core: RunnerCore(label: label, width: width, limit: width + Self.addedWorkerLimit, noting: nil))
  }

  /// Makes a pool that has one worker at a time, so runs begin in the order in which they were submitted.
  ///
  /// A run that blocks its thread holds up all later ones until it returns or suspends. It may wait for another
  /// thread, but not for another run or a suspended job of the same pool. The monitor is told of each job.
  package convenience init(serialLabel label: String, noting monitor: (any ConsumerMonitor)? = nil) {
    self.init(core: RunnerCore(label: label, width: 1, limit: 1, noting: monitor))
  }

  private init(core: RunnerCore<Work>) {
    self.core = core
    executor = RunnerExecutor { job, executor in core.enqueue(job, executor) }
  }

  /// Adds a run after those that wait.
  package func submit(_ work: consuming Work) {
    core.submit(work, executor)
  }

  /// Adds runs after those that wait, in their order.
  package func submit(_ work: [Work]) {
    core.submit(work, executor)
  }
}
