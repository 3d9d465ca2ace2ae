/// Running the action.
extension TimerEntry: RunnerWork {
  /// Starts a run of the action. One that is bound to an actor has a task of its own. Runs on the main actor
  /// begin in the order in which they are started.
  func start(run: UInt64, isIsolated: Bool, onQueue: Bool) {
    // If the timer has finished since then, the run finds no tick.
    let isolation = isIsolated ? machine.withLock { $0.action(attributes?.actionObject)?.isolation } : nil
    if isolation == nil, let runners = driver.runners { return runners.submit(self) }
    // Detached, so that the caller's task-local values and actor don't apply to the action. A virtual clock
    // has those of the test apply. The task takes the action from the timer, so that its captures aren't
    // released here.
    let isOnMainActor = isolation === MainActor.shared
    let watch = isOnMainActor && run == 1 ? watchFirstRun() : nil
    let onMainActor: @MainActor @Sendable () async -> Void = {
      watch?.runBegins()
      _ = await self.performRun(isolation: MainActor.shared)
    }
    let onIsolation: @concurrent @Sendable () async -> Void = {
      _ = await self.performRun(isolation: isolation)
    }
    let task =
      driver.virtual?.make {
        isOnMainActor
          ? Task(name: name, operation: onMainActor) : Task(name: name, operation: onIsolation)
      }
      ?? (isOnMainActor ? Task.detached(operation: onMainActor) : Task.detached(operation: onIsolation))
    guard machine.withLock({ $0.keep(task, ofRun: run) }) else { return }
    // Cancelling a task may run user code, which must not run on the timer queue.
    if onQueue { driver.performOffQueue { task.cancel() } } else { task.cancel() }
  }

  private func watchFirstRun() -> FirstRunWatch? {
    guard driver.printsFailures, driver.virtual == nil else { return nil }
    return machine.withLock { $0.recurrence.interval }.flatMap { .begin(of: label, every: $0) }
  }

  /// The timer in a message.
  private var label: String { name.map { "timer \"\($0)\"" } ?? "timer \(id), which has no name," }

  /// Concurrent, so that no change of the executor surrounds the call: each takes a lock of the task.
  @concurrent func perform(in runner: Runner) async -> Bool {
    await !performRun(in: runner, isolation: nil)
  }

  /// Performs a run on its action's isolation, and returns whether its task was cancelled.
  ///
  /// The run takes its tick on that isolation, and the action then begins without a suspension. So an action
  /// on the main actor doesn't run after the main actor has cancelled its timer.
  ///
  /// The isolation is a parameter, because a closure would leave any other isolation: runs on the main actor
  /// would return to it in another order.
  @inline(__always)
  private func performRun(in runner: Runner? = nil, isolation: isolated (any Actor)?) async -> Bool {
    let run = begin(in: runner)
    var asksRule = false
    do {
      if let call = takeCall() {
        asksRule = call.asksRule
        await Run.$current.withValue(
          run, operation: { await perform(call, in: run, isolation: isolation) }, isolation: isolation)
      }
    }
    // From here on, nothing that the action has captured is held.
    return end(run, asksRule: asksRule)
  }

  /// An action with its arguments. Releasing it may run user code.
  private struct Call {
    let action: TimerAction
    let tick: TimerTick
    let owner: (any AnyObject & Sendable)?
    let asksRule: Bool
    /// The action's cursor before it took the tick.
    let cursor: TickCursor

    var isolation: (any Actor)? {
      action.isolation ?? (action.isIsolatedToOwner ? owner as? any Actor : nil)
    }
  }

  /// Begins the run that was started, in the task of `runner` if there is one.
  @inline(never)
  private func begin(in runner: Runner?) -> Run {
    let (run, isCancelled) = machine.withLock { machine in
      machine.extras?.fetch()
      guard let number = machine.run else { preconditionFailure("A run has begun that wasn't started.") }
      let run = ActionRun(timer: identifier(machine), name: name, number: number)
      let isCancelled = runner?.task.map { machine.keep($0, ofRun: number) } ?? false
      return (Run(run, context: attributes?.actionObject?.context, tracker: driver.runs), isCancelled)
    }
    if isCancelled { runner?.task?.cancel() }
    driver.virtual?.runBegins(run.value)
    return run
  }

  /// Takes a tick for the run, and the action to call with it. Returns nil if there is none.
  @inline(never)
  private func takeCall() -> Call? {
    while true {
      var call: Call?
      let taken = takeHoldingOwner { machine, owner in
        guard let action = machine.action(attributes?.actionObject) else { return .finished }
        let cursor = machine.cursor
        let taken = machine.take(nil, at: { driver.read() })
        if case .tick(let tick) = taken {
          call = Call(
            action: action, tick: tick, owner: owner, asksRule: machine.isByRule, cursor: cursor)
        }
        return taken
      }
      switch taken {
      case .tick: return call
      case .ask(let question): ask(consume question)
      case .wait, .finished: return nil
      }
    }
  }

  @inline(__always)
  private func perform(_ call: Call, in run: Run, isolation: isolated (any Actor)?) async {
    do {
      if let interceptor = driver.interceptor {
        try await perform(call, in: run, enclosedBy: interceptor, isolation: call.isolation)
      } else if call.action.timeout != nil || call.action.isIsolatedToOwner {
        try await performIfConfirmed(call)
      } else {
        try await call.action.run(call.tick, owner: call.owner, position: { self.countdown })
      }
    } catch {
      if error is CancellationError, Task.isCancelled || driver.isShutDown { return }
      // The owner is held here, so that the timer ends as failed and not by its owner's release.
      withExtendedLifetime(call.owner) { actionFailed(error, in: run) }
    }
  }

  // While an action is suspended, its task keeps the variables of its asynchronous functions, including those
  // of functions inlined there. So only what most runs need is inlined.

  @inline(never)
  private func perform(
    _ call: Call, in run: Run, enclosedBy interceptor: ActionInterceptor, isolation: isolated (any Actor)?
  ) async throws {
    try await interceptor(call.tick) {
      run.beginCall()
      defer { run.endCall() }
      try await self.performIfConfirmed(call)
    }
  }

  /// Calls the action, within its timeout, for a tick that was taken outside its isolation or some time ago.
  @inline(never)
  private func performIfConfirmed(_ call: Call) async throws {
    guard let timeout = call.action.timeout else {
      return try await runIfConfirmed(call, isolation: call.isolation)
    }
    try await LimitedOperation(on: driver, limit: timeout).run {
      try await runIfConfirmed(call, isolation: call.isolation)
    }
  }

  /// Records an error of the action. After the timer's end, which no event follows, it is printed instead.
  @inline(never)
  private func actionFailed(_ error: any Error, in run: Run) {
    let error = run.reported(error)
    let failure = ActionFailure(error) { [driver] in driver.release($0) }
    let (earlier, isOver, isFirst) = update { machine -> (ActionFailure?, Bool, Bool) in
      let isOver = machine.isFinished
      if !isOver { driver.observation.record(error, of: identifier(machine), named: name) }
      if machine.onError == .finish { machine.finish(.failed, at: { driver.read() }) }
      return (machine.fail(failure), isOver, machine.failureCount == 1)
    }
    if driver.printsFailures, driver.isObserved ? isOver : isFirst && !run.failsAgain {
      let rest = isOver ? "The timer had ended before." : "Its later errors aren't printed."
      StandardError.printFailure(of: "The action of \(label)", error, rest)
    }
    // The previous error is released here, outside the lock.
    _ = earlier
  }

  /// Confirms the tick on the action's isolation, and then runs the action without a suspension before it. So
  /// a change that the same actor has made to the timer before holds the action off.
  private func runIfConfirmed(_ call: Call, isolation: isolated (any Actor)?) async throws {
    if driver.isShutDown || !machine.withLock({ $0.confirmTick(takenAt: call.cursor) }) { return }
    try await call.action.run(call.tick, owner: call.owner, position: { self.countdown })
  }

  /// Ends a run. If there is another tick by now, the next run begins. Returns whether the run's task was
  /// cancelled or is about to be.
  @inline(never)
  private func end(_ run: Run, asksRule: Bool) -> Bool {
    // Asks for the next date while there is a task for it.
    if asksRule { askRule() }
    let isCancelled = update(ending: run) { $0.endRun() }
    driver.virtual?.runEnded()
    return isCancelled
  }

  /// Asks a rule for its next date, until it is known.
  func askRule() {
    while let question = machine.withLock({ $0.ask(at: { driver.read() }) }) {
      accept(question.ask())
    }
  }
}
