/// The runner's side.
extension RunnerCore {
  /// Makes a runner. Its task's first job is captured by the worker, and so runs after this has returned.
  func makeRunner(_ executor: RunnerExecutor) {
    _ = Runner { runner in
      // Detached: what is bound, cancelled or isolated where runs are submitted has nothing to do with them.
      Task.detached(executorPreference: executor) { await self.performRuns(in: runner, executor) }
    }
  }

  /// Performs runs until one leaves something in the task that isn't the next run's, or there are none.
  @concurrent private func performRuns(in runner: Runner, _ executor: RunnerExecutor) async {
    let priority = Task.currentPriority
    repeat {
      while let work = takeRun(executor) {
        let isReusable = await work.perform(in: runner)
        if !isReusable || Task.isCancelled || Task.currentPriority != priority { return }
      }
    } while await waitForRuns()
  }

  @inline(never)
  private func takeRun(_ executor: RunnerExecutor) -> Work? {
    // A task that prefers this executor is on one of its workers whenever no actor isolates it.
    guard let index = unsafe WorkerContext.current(of: id)?.pointee.index else { return nil }
    let (work, orders) = state.withLock { $0.takeRun(on: index) }
    follow(orders, executor)
    return work
  }

  /// Gives the thread back to the worker until there are runs for this runner, or none for any. Returns false if the
  /// runner is to end.
  private func waitForRuns() async -> Bool {
    var isKept = false
    await WaitingTask.suspend(noting: nil) { task in
      isKept = state.withLock { $0.keep(task) }
      return isKept
    }
    return isKept
  }
}
