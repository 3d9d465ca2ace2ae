import Dispatch

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
/// Tasks and workers keep the pool. An idle pool has neither.
package final class RunnerPool<Work: RunnerWork>: TaskExecutor {
  /// The most workers that a pool adds while others are blocked. Dispatch has 255 threads for serial queues.
  private static var addedWorkerLimit: Int { 64 }

  /// Guards the queues and the table of workers. A leaf: no other lock is taken while it is held, and nothing is
  /// run, resumed or released.
  let state: Lock<RunnerPoolState<Work>>
  /// Where a check for blocked workers begins.
  private let checkQueue: DispatchQueue?

  /// Makes a pool whose workers are as many as `width`, and more only while some are blocked.
  package init(label: String, width: Int) {
    precondition(width > 0, "A pool has at least one worker.")
    state = Lock(
      RunnerPoolState(
        workers: WorkerTable(label: label, width: width, limit: width + Self.addedWorkerLimit)))
    checkQueue = DispatchQueue(label: "\(label).check")
  }

  /// Makes a pool that has one worker at a time, so runs begin in the order in which they were submitted.
  ///
  /// A run that blocks its thread holds up all later ones. Don't wait in a run, without suspending, for another
  /// run of the same pool.
  package init(serialLabel label: String) {
    state = Lock(RunnerPoolState(workers: WorkerTable(label: label, width: 1, limit: 1)))
    checkQueue = nil
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  // MARK: Work

  /// Adds a run after those that wait.
  package func submit(_ work: consuming Work) {
    var added: Work? = consume work
    let orders = state.withLock { state in
      added.take().map { state.add($0) } ?? .none
    }
    follow(orders)
  }

  /// Adds runs after those that wait, in their order.
  package func submit(_ work: [Work]) {
    guard !work.isEmpty else { return }
    follow(state.withLock { $0.add(work) })
  }

  /// Adds a job of a run's task, or of a task that the run has made, after those that wait.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let context = unsafe WorkerContext.current(of: id), unsafe context.pointee.isCapturing {
      unsafe context.pointee.isCapturing = false
      unsafe context.pointee.captured = job
      return
    }
    follow(state.withLock { $0.add(job) })
  }

  // MARK: Orders

  /// Starts the worker and arms the check that the state asks for.
  @inline(__always)
  func follow(_ orders: WorkerOrders) {
    if let start = orders.start { startWorker(start) }
    if let delay = orders.checkDelay { armCheck(after: delay) }
  }

  @inline(never)
  private func startWorker(_ index: Int) {
    let queue = state.withLock { $0.queue(of: index) }
    // The block keeps the pool.
    queue.async { self.work(on: index) }
  }

  @inline(never)
  private func armCheck(after nanoseconds: UInt64) {
    // While work waits, workers keep the pool.
    checkQueue?.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
      self?.check()
    }
  }

  private func check() {
    let (starts, delay) = state.withLock { $0.check() }
    for start in starts { startWorker(start) }
    if let delay { armCheck(after: delay) }
  }
}
