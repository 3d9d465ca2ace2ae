/// The action's side.
extension TimerEntry {
  /// Starts a task for one run of the action.
  ///
  /// Each run has a task of its own. So other tasks have their turn between two runs, on the action's actor and on
  /// Swift's threads, though the next tick may be there already.
  func start(_ run: TrackedRun) {
    driver.monitor?.noteEntered(consumer(run), name: name)
    // Detached, as the caller's task-local values and its actor have nothing to do with the action. The action
    // is taken from the gate there, so that what it has captured isn't released here.
    let task = Task.detached { [self] in
      await ActionRun.$bound.withValue(run) {
        await perform(run, isolation: cell.withLock { $0.unfolded?.gate.action?.action?.isolation })
      }
      // Nothing is held any more of what the action has captured.
      end(run)
      driver.monitor?.noteLeft(consumer(run))
    }
    if cell.withLock({ $0.unfolded?.gate.action?.keep(task, of: run.run.number) ?? false }) { task.cancel() }
  }

  private func consumer(_ run: TrackedRun) -> TickConsumer { .run(timer: id, number: run.run.number) }

  /// Cancels the task of the action, if there is one.
  func cancelAction() {
    cell.withLock { $0.unfolded?.gate.action?.cancel() }?.cancel()
  }

  // MARK: The run

  /// Runs the action for a tick, if there is one. When this returns, the action and its owner are released.
  ///
  /// The gate is asked on the action's own isolation, and the action then begins without a suspension. So
  /// an action of the main actor doesn't run after the main actor has cancelled its timer.
  private func perform(_ run: TrackedRun, isolation: isolated (any Actor)?) async {
    guard let action = cell.withLock({ $0.unfolded?.gate.action?.action }),
      let (tick, owner) = takeForAction()
    else { return }
    driver.monitor?.noteBusy(consumer(run))
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
        note(error, counts: !(error is CancellationError && Task.isCancelled))
      }
    }
  }

  /// Notes an error that the action has thrown. One that the action throws as it was told to end doesn't count.
  private func note(_ error: any Error, counts: Bool) {
    let earlier = update { gate -> (any Error)? in
      if counts { driver.observation.note(error, of: self) }
      if gate.action?.onError == .finish { gate.machine.finish(.failed, at: { driver.clock.read() }) }
      return gate.action?.fail(error, counting: counts)
    }
    // Released here, outside the lock.
    _ = earlier
  }

  /// Runs the action for a tick that was taken some time ago, unless the timer has ended since.
  private func runUnlessEnded(
    _ action: TimerAction, _ tick: TimerTick, owner: (any AnyObject & Sendable)?,
    isolation: isolated (any Actor)?
  ) async throws {
    if driver.isShutDown || cell.withLock({ $0.isFinished }) { return }
    try await action.run(tick, owner: owner)
  }

  private func takeForAction() -> (TimerTick, owner: (any AnyObject & Sendable)?)? {
    while true {
      var held: (any AnyObject & Sendable)?
      let taken = takeFromOwner { gate, owner in
        held = owner
        return gate.takeForAction(at: { driver.clock.read() })
      }
      switch taken {
      case .tick(let tick, newestOrdinal: _): return (tick, held)
      case .consult(let query, let inquiry): adopt(query.ask(), to: inquiry)
      case .wait, .finished: return nil
      }
    }
  }

  // MARK: The end of a run

  /// Notes that a run has ended. If there is another tick by now, the next run begins.
  private func end(_ run: TrackedRun) {
    // For the next date, while there is a task for it.
    askRule()
    update(ending: run) { $0.action?.end() }
  }

  private func askRule() {
    while let (query, inquiry) = cell.withLock({
      $0.unfold().gate.machine.consult(at: { driver.clock.read() })
    }) {
      adopt(query.ask(), to: inquiry)
    }
  }
}
