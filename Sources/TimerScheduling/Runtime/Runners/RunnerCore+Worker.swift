/// The part of a pool's core that workers use.
extension RunnerCore {
  /// Performs jobs and runs until none are left.
  func work(on index: Int, _ executor: RunnerExecutor) {
    let unownedExecutor = unsafe executor.asUnownedTaskExecutor()
    unsafe WorkerContext.with(pool: id, index: index) { context in
      while true {
        let (step, orders) = state.withLock { $0.step(of: index) }
        follow(orders, executor)
        switch step {
        case .job(let job):
          unsafe run(job, on: unownedExecutor)
        case .runner(let runner):
          unsafe runJob(on: unownedExecutor, context) {
            if let runner { runner.resume(noting: nil) } else { makeRunner(executor) }
          }
        case .end(let runners):
          for runner in runners {
            unsafe runJob(on: unownedExecutor, context) { runner.resume(noting: nil) }
          }
        case .leave:
          return
        }
      }
    }
  }

  /// Runs the job that `enqueue` enqueues on this thread, at once.
  ///
  /// There is no job if a runner is resumed while its previous thread is still suspending it. That thread then
  /// continues with it.
  private func runJob(
    on executor: UnownedTaskExecutor, _ context: UnsafeMutablePointer<WorkerContext>, _ enqueue: () -> Void
  ) {
    unsafe context.pointee.isCapturing = true
    enqueue()
    unsafe context.pointee.isCapturing = false
    guard let job = unsafe context.pointee.captured.take() else { return }
    unsafe run(job, on: executor)
  }
}
