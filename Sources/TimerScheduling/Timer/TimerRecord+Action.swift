/// The action's side.
extension TimerRecord {
  /// Starts a task for the action. It ends when there is nothing left to run.
  func start(_ run: ActionRun) {
    let place = keeper.noteBegin(run, of: self)
    keeper.monitor?.noteEntered(consumer(run), name: name)
    // Detached, as the caller's task-local values and its actor have nothing to do with the action. The action
    // is taken from the gate there, so that what it has captured isn't released here.
    let task = Task.detached { [self] in
      if let action = cell.withLock({ $0.unfolded?.gate.action?.begin() }) {
        await ActionRun.$bound.withValue(run) {
          await perform(action, in: run, isolation: action.isolation)
        }
      }
      keeper.noteEnd(at: place)
      keeper.monitor?.noteLeft(consumer(run))
    }
    if cell.withLock({ $0.unfolded?.gate.action?.keep(task, of: run.number) ?? false }) { task.cancel() }
  }

  private func consumer(_ run: ActionRun) -> TickConsumer { .run(timer: id, number: run.number) }

  /// Cancels the task of the action, if there is one.
  func cancelAction() {
    cell.withLock { $0.unfolded?.gate.action?.cancel() }?.cancel()
  }

  /// Whether the current task belongs to the run that is under way.
  var isCurrent: Bool {
    guard let run = ActionRun.current, run.timer.number == id else { return false }
    return cell.withLock { $0.unfolded?.gate.action?.isIn(run.number) ?? false }
  }

  /// Runs the action for one tick after another.
  ///
  /// The gate is asked on the action's own isolation, and the action then begins without a suspension. So
  /// an action of the main actor doesn't run after the main actor has cancelled its timer.
  private func perform(_ action: TimerAction, in run: ActionRun, isolation: isolated (any Actor)?) async {
    while let (tick, owner) = takeForAction() {
      keeper.monitor?.noteBusy(consumer(run))
      do {
        if let interceptor = keeper.interceptor {
          try await interceptor(tick) {
            try await self.runUnlessEnded(action, tick, owner: owner, isolation: action.isolation)
          }
        } else {
          try await action.run(tick, owner: owner)
        }
      } catch {
        note(error)
      }
    }
  }

  /// Runs the action for a tick that was taken some time ago, unless the timer has ended since.
  private func runUnlessEnded(
    _ action: TimerAction, _ tick: TimerTick, owner: (any AnyObject & Sendable)?,
    isolation: isolated (any Actor)?
  ) async throws {
    if keeper.isShutDown || cell.withLock({ $0.isFinished }) { return }
    try await action.run(tick, owner: owner)
  }

  private func takeForAction() -> (TimerTick, owner: (any AnyObject & Sendable)?)? {
    while true {
      var held: (any AnyObject & Sendable)?
      let taken = takeFromOwner { gate, owner in
        held = owner
        return gate.takeForAction(at: { keeper.clock.read() })
      }
      switch taken {
      case .tick(let tick, newestOrdinal: _): return (tick, held)
      case .consult(let query, let inquiry): adopt(query.ask(), to: inquiry)
      case .wait, .finished: return nil
      }
    }
  }

  private func note(_ error: any Error) {
    // To end as one was told to is no failure.
    let isFailure = !(error is CancellationError && Task.isCancelled)
    let earlier = update { gate -> (any Error)? in
      let earlier = gate.action?.note(error, isFailure: isFailure)
      if isFailure { keeper.observation.note(error, of: self) }
      if gate.action?.onError == .finish { gate.machine.finish(.failed, at: { keeper.clock.read() }) }
      return earlier
    }
    // Released here, outside the lock.
    _ = earlier
  }
}
