extension RunnerPool {
  func work(on index: Int) {
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

  /// Runs the job that `enqueue` enqueues on this thread. There is none if a runner is resumed while its previous thread
  /// is still suspending it. That thread then continues with it.
  private func runJob(_ context: UnsafeMutablePointer<WorkerContext>, _ enqueue: () -> Void) {
    unsafe context.pointee.isCapturing = true
    enqueue()
    unsafe context.pointee.isCapturing = false
    if let job = unsafe context.pointee.captured.take() {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Makes a runner, whose task's first job the worker captures.
  func makeRunner() {
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

  /// Returns the thread to the worker. Returns false if the runner is to end, and true once there may be runs for it.
  private func waitForRuns() async -> Bool {
    var isKept = false
    await WaitingTask.suspend { task in
      isKept = state.withLock { $0.keep(task) }
      return isKept
    }
    return isKept
  }
}

/// A task that performs one run after another.
package final class Runner: Sendable {
  /// The runner's task. The worker that makes the runner sets it before it runs the task's first job, and only the runs
  /// of that task read it.
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
