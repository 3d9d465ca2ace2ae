/// The action's side.
extension TimerEntry {
  /// Has the action run.
  ///
  /// A run that isn't bound to an actor shares a task with others. One that is has a task of its own, and those of the
  /// main actor begin in the order in which they are started.
  func start(_ run: TrackedRun, isIsolated: Bool, onQueue: Bool) {
    driver.monitor?.consumerEntered(consumer(run), name: name)
    // Of a timer that has finished since then, the run finds no tick.
    guard isIsolated, let isolation = shared.withLock({ $0.action(badge)?.isolation }) else {
      driver.submit(ActionWork(entry: self, run: run), onQueue: onQueue)
      return
    }
    let task = isolation === MainActor.shared ? startOnMainActor(run) : startOwnTask(run, on: isolation)
    guard keep(.own(task), of: run) else { return }
    // To cancel a task may run the user's code, which has no place on the timer queue.
    if onQueue { driver.performElsewhere { task.cancel() } } else { task.cancel() }
  }

  // Tasks are detached, as the caller's task-local values and its actor have nothing to do with the action. The action
  // is taken from the timer there, so that what it has captured isn't released here.

  private func startOnMainActor(_ run: TrackedRun) -> Task<Void, Never> {
    let operation: @MainActor @Sendable () async -> Void = {
      _ = await self.performAndEnd(run, isolation: MainActor.shared)
    }
    return Task.detached(operation: operation)
  }

  private func startOwnTask(_ run: TrackedRun, on isolation: any Actor) -> Task<Void, Never> {
    Task.detached { [self] in _ = await performAndEnd(run, isolation: isolation) }
  }

  private func keep(_ task: RunTask, of run: TrackedRun) -> Bool {
    shared.withLock { $0.keep(task, of: run.run.number) }
  }

  /// Performs a run in the task of a runner, and returns whether that was cancelled.
  fileprivate func perform(_ run: TrackedRun, in runner: Runner) async -> Bool {
    if keep(.shared(runner), of: run) { runner.cancel() }
    return await performAndEnd(run, isolation: nil)
  }

  /// Performs a run on its action's isolation, and returns whether its task was cancelled.
  ///
  /// The isolation is a parameter of this function, as a closure that is called in it leaves any other: runs on the main
  /// actor would leave it before they begin, and come back in another order.
  private func performAndEnd(_ run: TrackedRun, isolation: isolated (any Actor)?) async -> Bool {
    await ActionRun.$bound.withValue(run) { await perform(run, isolation: isolation) }
    // Nothing is held any more of what the action has captured.
    return end(run)
  }

  private func consumer(_ run: TrackedRun) -> TickConsumer { .run(timer: id, number: run.run.number) }

  /// Cancels the task of the action, if there is one.
  func cancelAction() {
    shared.withLock { $0.cancelRun() }?.cancel()
  }

  // MARK: The run

  /// Runs the action for a tick, if there is one. When this returns, the action and its owner are released.
  ///
  /// The timer is asked on the action's own isolation, and the action then begins without a suspension. So
  /// an action of the main actor doesn't run after the main actor has cancelled its timer.
  private func perform(_ run: TrackedRun, isolation: isolated (any Actor)?) async {
    guard let action = shared.withLock({ $0.action(badge) }),
      let (tick, owner) = takeForAction()
    else { return }
    driver.monitor?.consumerIsBusy(consumer(run))
    do {
      if let interceptor = driver.interceptor {
        let enclosed = EnclosedRun {
          try await self.runUnlessEnded(action, tick, owner: owner, isolation: action.isolation)
        }
        try await enclosed.run(tick, by: interceptor)
      } else {
        try await action.run(tick, owner: owner)
      }
    } catch {
      // While the owner is held, so that the timer fails and doesn't end by its owner's release.
      withExtendedLifetime(owner) {
        actionFailed(error, counts: !(error is CancellationError && Task.isCancelled))
      }
    }
  }

  /// Notes an error that the action has thrown. One that the action throws as it was told to end doesn't count.
  private func actionFailed(_ error: any Error, counts: Bool) {
    let earlier = update { shared -> (any Error)? in
      if counts { driver.observation.record(error, of: self) }
      if shared.onError == .finish { shared.machine.finish(.failed, at: { driver.clock.read() }) }
      return shared.fail(error, counting: counts)
    }
    // Released here, outside the lock.
    _ = earlier
  }

  /// Runs the action for a tick that was taken some time ago, unless the timer has ended since.
  private func runUnlessEnded(
    _ action: TimerAction, _ tick: TimerTick, owner: (any AnyObject & Sendable)?,
    isolation: isolated (any Actor)?
  ) async throws {
    if driver.isShutDown || isFinished { return }
    try await action.run(tick, owner: owner)
  }

  private func takeForAction() -> (TimerTick, owner: (any AnyObject & Sendable)?)? {
    while true {
      var held: (any AnyObject & Sendable)?
      let taken = takeFromOwner { shared, owner in
        held = owner
        return shared.takeForAction(at: { driver.clock.read() })
      }
      switch taken {
      case .tick(let tick, newestOrdinal: _): return (tick, held)
      case .consult(let query, let inquiry): adopt(query.ask(), to: inquiry)
      case .wait, .finished: return nil
      }
    }
  }

  // MARK: The end of a run

  /// Notes that a run has ended. If there is another tick by now, the next run begins. Returns whether the run's task was
  /// cancelled, or is about to be.
  private func end(_ run: TrackedRun) -> Bool {
    // For the next date, while there is a task for it.
    askRule()
    let isCancelled = update(ending: run) { $0.endRun() }
    driver.monitor?.consumerLeft(consumer(run))
    return isCancelled
  }

  private func askRule() {
    while let (query, inquiry) = shared.withLock({ $0.machine.consult(at: { driver.clock.read() }) }) {
      adopt(query.ask(), to: inquiry)
    }
  }
}

/// A run that waits for a runner.
struct ActionWork: RunnerWork {
  let entry: TimerEntry
  let run: TrackedRun

  func perform(in runner: Runner) async -> Bool { await !entry.perform(run, in: runner) }
}
