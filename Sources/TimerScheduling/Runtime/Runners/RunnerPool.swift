/// Performs runs of actions in shared tasks.
///
/// A runner is a task that performs one run after another. When a run suspends, the worker that performed it gets its
/// thread back, and lets another runner perform the remaining runs. So a run that doesn't suspend takes no task of
/// its own, and no run waits for another one's suspension. The same workers run resumed runs and their child tasks,
/// in turns with new runs.
///
/// A worker is a thread that the pool has while there is work. Dispatch provides it from the threads of serial
/// queues, so the pool keeps working while all threads of Swift's tasks are blocked. If the pool's own threads are
/// blocked, it starts others in their place, up to 64 more than its width. With these blocked as well, all runs wait
/// until one returns. The first time, a line is printed to the standard error.
///
/// Runs that have begun or are waiting don't need the pool: they end after it is released. An idle pool has neither
/// tasks nor threads.
package final class RunnerPool<Work: RunnerWork>: Sendable {
  /// The largest number of workers added while others are blocked. Dispatch has 255 threads for serial queues.
  private static var addedWorkerLimit: Int { 64 }

  /// The executor that the tasks of runs prefer.
  package let executor: RunnerExecutor
  private let core: RunnerCore<Work>

  /// Makes a pool of at most `width` workers, and of more only while some are blocked.
  package convenience init(label: String, width: Int) {
    precondition(width > 0, "A pool has at least one worker.")
    self.init(core: RunnerCore(label: label, width: width, limit: width + Self.addedWorkerLimit, noting: nil))
  }

  /// Makes a pool of one worker, so that runs begin in the order in which they were submitted.
  ///
  /// A run that blocks its thread holds up all later ones until it returns or suspends. It may wait for another
  /// thread, but not for another run or a suspended job of the same pool. The monitor is notified of each job.
  package convenience init(serialLabel label: String, noting monitor: (any ConsumerMonitor)? = nil) {
    self.init(core: RunnerCore(label: label, width: 1, limit: 1, noting: monitor))
  }

  private init(core: RunnerCore<Work>) {
    self.core = core
    executor = RunnerExecutor { job, executor in core.enqueue(job, executor) }
  }

  package var load: RunnerLoad { core.load }

  /// Adds a run after those that are waiting.
  package func submit(_ work: consuming Work) {
    core.submit(work, executor)
  }

  /// Adds runs in their order after those that are waiting.
  package func submit(_ work: [Work]) {
    core.submit(work, executor)
  }
}
