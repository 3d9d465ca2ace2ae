/// The part of a pool that its workers use.
extension RunnerPool {
  /// Performs jobs and runs until none are left.
  func work(on index: Int) {
    unsafe WorkerContext.with(pool: self, index: index) { context in
      while true {
        let (step, orders) = state.withLock { $0.step(of: index) }
        follow(orders)
        switch step {
        case .job(let job):
          run(job)
        case .runner(let runner):
          unsafe runJob(context) {
            if let runner { runner.resume(noting: nil) } else { makeRunner() }
          }
        case .end(let runners):
          for runner in runners { unsafe runJob(context) { runner.resume(noting: nil) } }
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
  private func runJob(_ context: UnsafeMutablePointer<WorkerContext>, _ enqueue: () -> Void) {
    unsafe context.pointee.isCapturing = true
    enqueue()
    unsafe context.pointee.isCapturing = false
    guard let job = unsafe context.pointee.captured.take() else { return }
    run(job)
  }
}
