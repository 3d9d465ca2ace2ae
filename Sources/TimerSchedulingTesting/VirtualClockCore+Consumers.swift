package import TimerScheduling

extension VirtualClockCore: ConsumerMonitor {
  package func consumerEntered(_ consumer: TickConsumer, name: String?, of scheduler: UInt64) {
    update { $0.attendance.enter(.consumer(consumer), name: name, of: scheduler) }
  }

  package func consumerSleeps(_ consumer: TickConsumer) {
    update { $0.attendance.noteSleep(.consumer(consumer)) }
  }

  package func consumerIsBusy(_ consumer: TickConsumer) {
    guard let task = TaskIdentity.current else { return }
    switch consumer {
    case .listener: update { $0.attendance.consumerIsBusy(.consumer(consumer), in: task) }
    case .run: participantBegins(.consumer(consumer), in: task)
    }
  }

  package func waitBegins(_ wait: WaitID, as consumer: TickConsumer?) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.waitBegins(wait, as: consumer.map { .consumer($0) }, in: task) }
  }

  package func waitBegan(_ wait: WaitID) {
    update { $0.attendance.waitBegan(wait) }
  }

  package func waitEnded(_ wait: WaitID) {
    update { $0.attendance.waitEnded(wait) }
  }

  package func consumerLeft(_ consumer: TickConsumer) {
    switch consumer {
    case .listener: update { $0.attendance.leave(.consumer(consumer)) }
    case .run: participantEnds(.consumer(consumer))
    }
  }

  package func hasFired(timer: UInt64) {
    update { $0.attendance.hasFired(timer: timer) }
  }

  package func changeBegins() {
    state.withLock { $0.changeCount += 1 }
  }

  package func changeEnds() {
    state.withLock { $0.changeCount -= 1 }
  }

  package func workBegan() {
    update { $0.attendance.beginWork() }
  }

  package func workEnded() {
    update { $0.attendance.endWork() }
  }

  // MARK: Tasks

  package func taskEntered() -> UInt64 {
    guard let caller = TaskIdentity.current else { return taskEntered(name: nil) }
    let jobCount = JobTracker.shared.watch(caller, for: self)
    return update { state in
      let number = state.makeNumber()
      state.attendance.enterLimit(.task(number), of: caller, jobCount: jobCount)
      return number
    }
  }

  /// Adds a task, which is about to begin, to those the clock waits for. Returns its number.
  func taskEntered(name: String?) -> UInt64 {
    update { state in
      let number = state.makeNumber()
      state.attendance.enter(.task(number), name: name)
      return number
    }
  }

  package func taskBegan(_ number: UInt64) {
    guard let task = TaskIdentity.current else { return }
    participantBegins(.task(number), in: task)
  }

  package func taskEnded(_ number: UInt64) { participantEnds(.task(number)) }

  func participantBegins(_ attendee: Attendance.Attendee, in task: TaskIdentity, isAdded: Bool = false) {
    let jobCount = JobTracker.shared.watch(task, for: self)
    update { $0.attendance.begin(attendee, in: task, isAdded: isAdded, jobCount: jobCount) }
  }

  func participantEnds(_ attendee: Attendance.Attendee, isAdded: Bool = false) {
    let task = TaskIdentity.current
    JobTracker.shared.forget(update { $0.attendance.end(attendee, in: task, isAdded: isAdded) })
  }

  // MARK: Jobs

  package func jobEnqueued(_ job: UnownedJob) {
    jobEnqueued(TaskIdentity(of: job), by: .current)
  }

  package func run(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
    let task = TaskIdentity(of: job)
    unsafe job.runSynchronously(on: executor)
    jobEnded(task)
  }

  /// Notes that a job was enqueued. A job without a task belongs to an actor, or resumes a task that yields.
  func jobEnqueued(_ task: TaskIdentity, by creator: TaskIdentity?) {
    if task.isNone { return workBegan() }
    let isWatched = update { $0.attendance.jobEnqueued(task, by: creator) }
    if isWatched { JobTracker.shared.watch(task, for: self) }
  }

  func jobEnded(_ task: TaskIdentity) {
    if task.isNone { return workEnded() }
    JobTracker.shared.forget(update { $0.attendance.jobEnded(task) })
  }

  /// Yields through a task of its own: the runtime's hook sees that task's job, but not the one of `Task.yield`.
  ///
  /// That task may have ended before it is awaited. So a caller on an actor leaves the actor first, and comes back after
  /// the actor's other tasks.
  @concurrent package func yield() async {
    await Task.detached(priority: Task.currentPriority) {}.value
  }

  // MARK: Shutdown

  package func shutdownWaitBegins(of scheduler: UInt64, giveUp: @escaping @Sendable () -> Void) -> UInt64 {
    let number = state.withLock { state in
      let number = state.makeNumber()
      state.expectations[number] = Expectation(
        .shutdown(of: scheduler), looksUntilEnd: Int(shutdownLimit / lookInterval), resume: giveUp)
      return number
    }
    watch()
    return number
  }

  package func shutdownWaitEnded(_ number: UInt64) {
    state.withLock { _ = $0.expectations.removeValue(forKey: number) }
    reportFailures()
  }

  // MARK: The end of a moment

  package func waitForEndOfMoment() async {
    guard let task = TaskIdentity.current else { return }
    await withCheckedContinuation { continuation in
      let isMoving = update { state in
        guard state.isMoving else { return false }
        state.time.addLast(VirtualTime.Sleep(task: task, continuation: continuation))
        state.attendance.beginWait(of: task)
        return true
      }
      // If no task moves the clock, the clock makes no other task busy.
      if !isMoving { continuation.resume() }
    }
  }
}
