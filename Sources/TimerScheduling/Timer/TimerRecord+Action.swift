/// The action's side.
extension TimerRecord {
  /// The timer whose action the current task runs, or is a child of.
  @TaskLocal static var current: TimerRecord?

  /// Starts the task of an action. It ends when there is nothing left to run.
  func begin(_ run: FollowUp.Run) {
    keeper.noteActionBegan(self)
    // Detached, as the caller's task-local values and its actor have nothing to do with the action.
    let task = Task.detached { [self] in
      await Self.$current.withValue(self) {
        await runAction(run.action, isolation: run.action.isolation)
      }
      keeper.noteActionEnded(self)
    }
    let isToBeCancelled = gate.withLock { gate in
      guard let action = gate.action, case .running(run.number) = action.phase else { return false }
      action.task = task
      return action.isToBeCancelled || gate.machine.cancelsRunningAction
    }
    if isToBeCancelled { task.cancel() }
  }

  /// Cancels the task of the action, if there is one.
  func cancelAction() {
    let task = gate.withLock { gate -> Task<Void, Never>? in
      guard let action = gate.action, !action.isIdle else { return nil }
      action.isToBeCancelled = true
      return action.task
    }
    task?.cancel()
  }

  /// Runs the action for one tick after another.
  ///
  /// The gate is asked on the action's own isolation, and the action then begins without a suspension. So
  /// an action of the main actor doesn't run after the main actor has cancelled its timer.
  private func runAction(_ action: TimerAction, isolation: isolated (any Actor)?) async {
    while let (tick, owner) = takeForAction() {
      do {
        try await action.run(tick, owner: owner)
      } catch {
        note(error)
      }
    }
  }

  private func takeForAction() -> (TimerTick, owner: (any AnyObject & Sendable)?)? {
    while true {
      var held: (any AnyObject & Sendable)?
      let taken = takeFromOwner { owner in
        held = owner
        return update { $0.takeForAction(at: keeper.clock.read) }
      }
      switch taken {
      case .tick(let tick, newestOrdinal: _): return (tick, held)
      case .consult(let query, let inquiry): adopt(query.ask(), to: inquiry)
      case .wait, .finished: return nil
      }
    }
  }

  private func note(_ error: any Error) {
    let earlier = update { gate -> (any Error)? in
      guard let action = gate.action else { return nil }
      let earlier = action.failure
      action.failure = error
      switch action.onError {
      case .keepTicking: break
      case .finish: _ = gate.machine.finish(.failed, at: keeper.clock.read)
      }
      return earlier
    }
    // Released here, outside the lock.
    _ = earlier
  }
}
