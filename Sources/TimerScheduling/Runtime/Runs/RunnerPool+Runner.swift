/// The part of a pool that its runners use.
extension RunnerPool {
  /// Makes a runner. The worker captures its task's first job, which so runs after this method has returned.
  func makeRunner() {
    _ = Runner { runner in
      // Detached, so that the submitter's task-local values, cancellation and isolation don't apply to runs.
      Task.detached(executorPreference: self) { await self.performRuns(in: runner) }
    }
  }

  /// Performs runs until none are left, or one leaves a state in the task that the next run must not inherit.
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

  /// Returns the thread to the worker until there are runs for this runner, or none for any. Returns false if the
  /// runner should end.
  private func waitForRuns() async -> Bool {
    var isKept = false
    await WaitingTask.suspend(noting: nil) { task in
      isKept = state.withLock { $0.keep(task) }
      return isKept
    }
    return isKept
  }
}
