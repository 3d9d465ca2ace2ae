import Dispatch

/// The state shared by a pool, its executor, its workers and its runners.
///
/// The executor holds it. It doesn't hold the executor: each call that may start a worker is passed that as an
/// argument.
final class RunnerCore<Work: RunnerWork>: Sendable {
  /// Guards the queues and the table of workers. While it is held, no other lock is taken, and nothing is run,
  /// resumed or released.
  let state: Lock<RunnerState<Work>>
  /// The queue of the checks for blocked workers. Nil if there are no checks.
  private let checkQueue: DispatchQueue?
  /// The monitor that is notified of jobs.
  private let monitor: (any ConsumerMonitor)?

  init(label: String, width: Int, limit: Int, noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
    state = Lock(RunnerState(workers: WorkerTable(label: label, width: width, limit: limit)))
    checkQueue = limit > 1 ? DispatchQueue(label: "\(label).check") : nil
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  func submit(_ work: consuming Work, _ executor: RunnerExecutor) {
    var added: Work? = work
    let orders = state.withLock { state in
      added.take().map { state.add($0) } ?? .none
    }
    follow(orders, executor)
  }

  func submit(_ work: [Work], _ executor: RunnerExecutor) {
    guard !work.isEmpty else { return }
    follow(state.withLock { $0.add(work) }, executor)
  }

  func enqueue(_ job: UnownedJob, _ executor: RunnerExecutor) {
    monitor?.jobEnqueued(job)
    if let context = unsafe WorkerContext.current(of: id), unsafe context.pointee.isCapturing {
      unsafe context.pointee.isCapturing = false
      unsafe context.pointee.captured = job
      return
    }
    follow(state.withLock { $0.add(job) }, executor)
  }

  /// Runs a job on the current thread.
  func run(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
    if let monitor { return unsafe monitor.run(job, on: executor) }
    unsafe job.runSynchronously(on: executor)
  }

  // MARK: Orders

  /// Starts the worker and arms the check that the orders contain.
  @inline(__always)
  func follow(_ orders: WorkerOrders, _ executor: RunnerExecutor) {
    if let index = orders.start { startWorker(index, executor) }
    if let delay = orders.checkDelay { armCheck(after: delay, executor) }
  }

  @inline(never)
  private func startWorker(_ index: Int, _ executor: RunnerExecutor) {
    let queue = state.withLock { $0.queue(of: index) }
    queue.async { self.work(on: index, executor) }
  }

  @inline(never)
  private func armCheck(after nanoseconds: UInt64, _ executor: RunnerExecutor) {
    // While work waits, workers hold the executor.
    checkQueue?.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self, weak executor] in
      if let self, let executor { self.check(executor) }
    }
  }

  private func check(_ executor: RunnerExecutor) {
    let (starts, orders) = state.withLock { $0.check() }
    for index in starts { startWorker(index, executor) }
    follow(orders, executor)
    if orders.reportsLimit { StandardError.print(load.report) }
  }

  var load: RunnerLoad { state.withLock { $0.load } }
}
