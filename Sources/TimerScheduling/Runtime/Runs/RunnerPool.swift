import Dispatch

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
/// The pool is the executor that the tasks of runs prefer, so they and its workers hold it. An idle pool has neither
/// tasks nor threads.
package final class RunnerPool<Work: RunnerWork>: RunnerExecutor, @unchecked Sendable {
  /// The largest number of workers added while others are blocked. Dispatch has 255 threads for serial queues.
  private static var addedWorkerLimit: Int { 64 }

  /// Guards the queues and the table of workers. While it is held, no other lock is taken, and nothing is run,
  /// resumed or released.
  let state: Lock<RunnerState<Work>>
  private let checkQueue: DispatchQueue
  /// The monitor that is notified of jobs.
  private let monitor: (any ConsumerMonitor)?

  /// Makes a pool of at most `width` workers, and of more only while some are blocked.
  package convenience init(label: String, width: Int) {
    precondition(width > 0, "A pool has at least one worker.")
    self.init(label: label, width: width, limit: width + Self.addedWorkerLimit, noting: nil)
  }

  /// Makes a pool of one worker, so that runs begin in the order in which they were submitted.
  ///
  /// A run that blocks its thread holds up all later ones until it returns or suspends. It may wait for another
  /// thread, but not for another run or a suspended job of the same pool. The monitor is notified of each job.
  package convenience init(serialLabel label: String, noting monitor: (any ConsumerMonitor)? = nil) {
    self.init(label: label, width: 1, limit: 1, noting: monitor)
  }

  private init(label: String, width: Int, limit: Int, noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
    state = Lock(RunnerState(label: label, width: width, limit: limit))
    checkQueue = DispatchQueue(label: "\(label).check")
    super.init { executor, job in unsafe unsafeDowncast(executor, to: RunnerPool.self).add(job) }
  }

  package var load: RunnerLoad { state.withLock { $0.load } }

  // MARK: Adding work

  /// Adds a run after those that are waiting.
  package func submit(_ work: consuming Work) {
    var added: Work? = work
    follow(state.withLock { state in added.take().map { state.add($0) } ?? .init() })
  }

  /// Adds runs in their order after those that are waiting.
  package func submit(_ work: [Work]) {
    if !work.isEmpty { follow(state.withLock { $0.add(work) }) }
  }

  private func add(_ job: UnownedJob) {
    monitor?.jobEnqueued(job)
    if let context = unsafe WorkerContext.current(of: self), unsafe context.pointee.isCapturing {
      unsafe context.pointee.isCapturing = false
      unsafe context.pointee.captured = job
      return
    }
    follow(state.withLock { $0.add(job) })
  }

  /// Runs a job on the current thread.
  func run(_ job: UnownedJob) {
    let executor = unsafe asUnownedTaskExecutor()
    if let monitor { return unsafe monitor.run(job, on: executor) }
    unsafe job.runSynchronously(on: executor)
  }

  // MARK: Orders

  /// Starts the worker and arms the check that the orders contain.
  @inline(__always)
  func follow(_ orders: WorkerTable.Orders) {
    if let index = orders.start { startWorker(index) }
    if orders.armsCheck { armCheck() }
  }

  @inline(never)
  private func startWorker(_ index: Int) {
    let queue = state.withLock { $0.queue(of: index) }
    queue.async { self.work(on: index) }
  }

  @inline(never)
  private func armCheck() {
    let (armed, delay) = (DispatchTime.now(), state.withLock { $0.workers.checkDelay })
    // While work waits, workers hold the pool.
    checkQueue.asyncAfter(deadline: armed + .nanoseconds(Int(delay))) { [weak self] in
      self?.check(after: DispatchTime.now().uptimeNanoseconds - armed.uptimeNanoseconds)
    }
  }

  private func check(after nanoseconds: UInt64) {
    let orders = state.withLock { $0.check(after: nanoseconds) }
    follow(orders)
    if orders.reportsLimit { StandardError.print(load.report) }
  }
}
