import Dispatch

/// One run of an action, performed by a runner. A timer stands for its next run, so a run that waits takes
/// one word.
package protocol RunnerWork: Sendable {
  /// Performs the run in the current task, which is `runner`'s, and leaves no task-local value bound. Returns
  /// false if the task was cancelled for this run. The runner then performs no other run.
  @concurrent func perform(in runner: Runner) async -> Bool

  /// A value read from both ends of the memory that the run uses first, so that the memory is fetched.
  var ends: UInt64 { get }
}

/// Performs runs of actions in shared tasks.
///
/// When a run suspends, the worker that performed it gets its thread back, and lets another ``Runner``
/// perform the remaining runs. So a run that doesn't suspend takes no task of its own, and no run waits for
/// another one's suspension. The same workers run resumed runs and their child tasks, in turns with new runs.
///
/// A worker is a thread of a serial dispatch queue, which the pool has while there is work. So the pool keeps
/// working while all threads of Swift's tasks are blocked. If its own threads are blocked, it starts others
/// in their place, up to 64 more than its width. With these blocked as well, all runs wait until one returns.
/// The pool is held by its workers and by the tasks of runs, which prefer it as their executor.
package final class RunnerPool<Work: RunnerWork>: RunnerExecutor, @unchecked Sendable {
  /// Guards the queues and the table of workers. While it is held, no other lock is taken.
  private let state: Lock<RunnerState<Work>>
  private let checkQueue: DispatchQueue

  /// Makes a pool of `width` workers, and of up to `limit` while some are blocked.
  package init(label: String, width: Int, limit: Int? = nil) {
    precondition(width > 0, "A pool has at least one worker.")
    // Dispatch has 255 threads for serial queues.
    state = Lock(RunnerState(label: label, width: width, limit: limit ?? width + 64))
    checkQueue = DispatchQueue(label: "\(label).check")
    super.init { executor, job in unsafe unsafeDowncast(executor, to: RunnerPool.self).add(job) }
  }

  package var load: (waitingRunCount: Int, blockedCount: Int) {
    state.withLock { ($0.workers.waitingCount, $0.workers.blockedCount) }
  }

  package func submit(_ work: Work) { follow(state.withLock { $0.add(work) }) }

  /// Adds runs in their order after those that are waiting.
  package func submit(_ work: [Work]) {
    if !work.isEmpty { follow(state.withLock { $0.add(work) }) }
  }

  private func add(_ job: UnownedJob) {
    if let context = unsafe WorkerContext.current(of: self), unsafe context.pointee.isCapturing {
      unsafe context.pointee.isCapturing = false
      unsafe context.pointee.captured = job
      return
    }
    follow(state.withLock { $0.add(job) })
  }

  @inline(__always)
  private func follow(_ orders: WorkerTable.Orders) {
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
    let orders = state.withLock { $0.workers.check(after: nanoseconds) }
    follow(orders)
    guard orders.reportsLimit else { return }
    let (load, limit) = (load, state.withLock { $0.workers.limit })
    StandardError.print(
      """
      TimerScheduling: \(load.blockedCount) actions block their threads or take long. There may be no more than \(limit) \
      such threads, so \(load.waitingRunCount) actions wait until one of them returns. Await instead of blocking. This is \
      printed once.
      """)
  }

  private func work(on index: Int) {
    // The thread's own while it works for the pool.
    var context = WorkerContext(pool: ObjectIdentifier(self), index: index)
    unsafe withUnsafeMutablePointer(to: &context) { context in
      unsafe WorkerContext.pointer.value = UnsafeMutableRawPointer(context)
      defer { unsafe WorkerContext.pointer.value = nil }
      while true {
        let (step, orders) = state.withLock { $0.step(of: index) }
        follow(orders)
        switch step {
        case .job(let job):
          unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .runner(let runner):
          unsafe runJob(context) { if let runner { runner.resume() } else { makeRunner() } }
        case .end(let runners):
          for runner in runners { unsafe runJob(context) { runner.resume() } }
        case .leave:
          return
        }
      }
    }
  }

  /// Runs the job that `enqueue` enqueues on this thread. There is none if a runner is resumed while its
  /// previous thread is still suspending it. That thread then continues with it.
  private func runJob(_ context: UnsafeMutablePointer<WorkerContext>, _ enqueue: () -> Void) {
    unsafe context.pointee.isCapturing = true
    enqueue()
    unsafe context.pointee.isCapturing = false
    if let job = unsafe context.pointee.captured.take() {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Makes a runner, whose task's first job the worker captures.
  private func makeRunner() {
    _ = Runner { runner in
      // Detached, so that the submitter's task-local values, cancellation and isolation don't apply to runs.
      Task.detached(executorPreference: self) { await self.performRuns(in: runner) }
    }
  }

  /// Performs runs until none are left, or one leaves a state in the task that the next must not inherit.
  @concurrent private func performRuns(in runner: Runner) async {
    let priority = Task.currentPriority
    repeat {
      while let work = takeRun() {
        let isReusable = await work.perform(in: runner)
        if !isReusable || Task.isCancelled || Task.currentPriority != priority { return }
      }
    } while await waitForRuns()
  }

  @inline(never)
  private func takeRun() -> Work? {
    // A task that prefers this executor runs on one of its workers whenever it isn't isolated to an actor.
    guard let index = unsafe WorkerContext.current(of: self)?.pointee.index else { return nil }
    let (work, orders) = state.withLock { $0.takeRun(on: index) }
    follow(orders)
    return work
  }

  /// Returns the thread to the worker. Returns false if the runner is to end, and true once there may be runs
  /// for it.
  private func waitForRuns() async -> Bool {
    var isKept = false
    await WaitingTask.suspend { task in
      isKept = state.withLock { $0.keep(task) }
      return isKept
    }
    return isKept
  }
}

/// The executor of a pool's runners, of their child tasks, and of default actors that runs call.
///
/// It is a class of its own, because the runtime calls the `enqueue` of a generic type unspecialized, which
/// took a microsecond. A pool that isn't generic takes 700 instructions more for a run, as the task changes
/// its executor around a call of `any RunnerWork`. Both classes have only constants of `Sendable` types,
/// which isn't checked for subclasses.
package class RunnerExecutor: TaskExecutor, @unchecked Sendable {
  private let add: @Sendable (RunnerExecutor, UnownedJob) -> Void

  fileprivate init(_ add: @escaping @Sendable (RunnerExecutor, UnownedJob) -> Void) { self.add = add }

  package final func enqueue(_ job: consuming ExecutorJob) { add(self, UnownedJob(job)) }
}

/// A task that performs one run after another.
package final class Runner: Sendable {
  /// The runner's task. The worker that makes the runner sets it before it runs the task's first job, and
  /// only the runs of that task read it.
  @safe nonisolated(unsafe) package private(set) var task: Task<Void, Never>?

  /// The task that `makeTask` returns must not begin before this initializer returns.
  package init(_ makeTask: (Runner) -> Task<Void, Never>) { task = makeTask(self) }
}

/// The current thread's role in a pool while it works for one. It is stored on the thread's stack.
struct WorkerContext {
  let pool: ObjectIdentifier
  let index: Int
  /// Whether the next job that this thread enqueues belongs to a runner that the worker starts or resumes.
  var isCapturing = false
  var captured: UnownedJob?

  fileprivate static let pointer = ThreadPointer()

  /// Returns the current thread's context. Nil if the thread doesn't work for `pool`.
  static func current(of pool: RunnerExecutor) -> UnsafeMutablePointer<WorkerContext>? {
    guard let context = unsafe pointer.value?.assumingMemoryBound(to: WorkerContext.self),
      unsafe context.pointee.pool == ObjectIdentifier(pool)
    else { return nil }
    return unsafe context
  }
}
