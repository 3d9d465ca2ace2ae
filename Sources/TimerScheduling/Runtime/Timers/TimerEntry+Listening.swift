extension TimerEntry {
  func join(_ listener: Listener) {
    func join() -> RuleQuestion? {
      machine.withLock { machine in
        let question = machine.join(listener, at: { driver.read() })
        if question != nil { driver.runs.beginWork() }
        return question
      }
    }
    while let question = join() { ask(consume question) }
  }

  /// Ends a listener or, without one, the timer's stream.
  func leave(_ listener: Listener?) {
    let tasks = update { machine -> SmallList<WaitingTask>? in
      guard let tasks = machine.leave(listener) else { return nil }
      // If a stream's timer has already ended, other tasks may still take the last tick.
      if listener == nil ? !machine.isFinished : endsUnheld && machine.isUnheld {
        machine.finish(.cancelled, at: { driver.read() })
      }
      return tasks
    }
    tasks?.resumeAll()
  }

  func holdHandle() {
    if endsUnheld { machine.withLock { $0.handleCount += 1 } }
  }

  func releaseHandle() {
    guard endsUnheld else { return }
    update { machine in
      machine.handleCount -= 1
      if machine.isUnheld { machine.finish(.cancelled, at: { driver.read() }) }
    }
  }

  /// Waits for the next tick of a listener or the stream, as ``TickListener/next()`` does. Takes it on the
  /// caller's isolation.
  @inline(__always)
  func next(_ listener: Listener?) async -> TimerTick? {
    while true {
      // A timer whose owner is gone ends when a listener asks.
      checkOwner()
      var isAnother = false
      await WaitingTask.suspend(for: .tick(timer: id, name: name), in: driver.virtual) { task in
        machine.withLock { machine in
          isAnother = machine.hasTaken(listener) && machine.canTake(listener)
          return machine.wait(task, as: listener)
        }
      }
      if isAnother {
        await Task.yield()
      } else {
        let (tick, isOver) = take(listener)
        if isOver { return tick }
      }
    }
  }

  /// Returns what the listener gets, a tick or nil. If the timer has changed meanwhile, it isn't over.
  ///
  /// Not inlined, because a waiting task keeps the variables of its asynchronous functions, a kilobyte at a
  /// time.
  @inline(never)
  private func take(_ listener: Listener?) -> (tick: TimerTick?, isOver: Bool) {
    switch takeHoldingOwner({ machine, _ in machine.take(listener, at: { driver.read() }) }) {
    case .tick(let tick): return (tick, true)
    case .finished: return (nil, true)
    case .wait: break
    case .ask(let question): ask(consume question)
    }
    return (nil, false)
  }

  /// Takes a tick while the owner, if there is one, is held, so that no tick is taken after its release.
  ///
  /// A tick that no listener had taken before is recorded under the lock, unless the timer has ended. The
  /// first listener of a timer that has completed still gets its last tick.
  func takeHoldingOwner(
    _ take: (inout TimerStateMachine, (any AnyObject & Sendable)?) -> TimerStateMachine.TakeResult
  ) -> TimerStateMachine.TakeResult {
    let object = owner?.object
    if owner != nil, object == nil { finish(.ownerReleased) }
    return withExtendedLifetime(object) {
      update { machine in
        let (takenBefore, isOver) = (machine.takenCount, machine.isFinished)
        let taken = take(&machine, object)
        switch taken {
        case .tick(let tick):
          if !isOver, let count = machine.countAnew(takenBefore: takenBefore) {
            driver.observation.record(tick, count, of: identifier(machine), named: name)
          }
        case .ask: driver.runs.beginWork()
        case .wait, .finished: break
        }
        return taken
      }
    }
  }

  /// Asks a rule in a consumer's task. A shutdown awaits that, and the release of the question.
  @inline(never)
  func ask(_ question: consuming RuleQuestion) {
    let answer = question.ask()
    _ = consume question
    accept(answer)
    driver.runs.endWork()
  }

  func accept(_ answer: RuleQuestion.Answer) {
    update { $0.accept(answer, at: driver.read()) }
  }
}
