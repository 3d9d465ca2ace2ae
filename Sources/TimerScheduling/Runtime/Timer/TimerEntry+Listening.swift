/// The listeners' side.
extension TimerEntry {
  typealias ListenerID = Listeners.ID

  /// Enters a listener, which changes nothing for anybody else.
  func join() -> ListenerID {
    if cell.withLock({ $0.joinFirst() }) {
      noteJoined(.first)
      return .first
    }
    while true {
      switch cell.withLock({ $0.unfold().gate.join(at: { driver.clock.read() }) }) {
      case .joined(let id):
        noteJoined(id)
        return id
      case .consult(let query, let inquiry):
        adopt(query.ask(), to: inquiry)
      }
    }
  }

  private func noteJoined(_ id: ListenerID) {
    guard let monitor = driver.monitor else { return }
    monitor.noteEntered(consumer(id), name: name)
    if !cell.withLock({ $0.inFull.gate.mustWait(id) }) { monitor.noteFired(timer: self.id) }
  }

  /// A listener is gone, or its task was cancelled. It gets no more ticks.
  func leave(_ id: ListenerID) {
    if let followUp = change({ $0.leaveFirst(lifetime, endingAs: reasonToEnd) }) {
      perform(followUp, onQueue: false)
      driver.monitor?.noteLeft(consumer(id))
      return
    }
    let consumers = update { gate -> WaitingConsumers? in
      guard let consumers = gate.leave(id) else { return nil }
      switch lifetime {
      // Of a stream that has come to its end, others may still take the last tick.
      case .stream:
        if id == .first, !gate.machine.isFinished {
          gate.machine.finish(.cancelled, at: { driver.clock.read() })
        }
      case .handles: finishIfUnheld(&gate)
      case .own: break
      }
      return consumers
    }
    guard let consumers else { return }
    consumers.resumeAll(noting: driver.monitor)
    driver.monitor?.noteLeft(consumer(id))
  }

  func noteTaken(by id: ListenerID) { driver.monitor?.noteBusy(consumer(id)) }

  private func consumer(_ id: ListenerID) -> TickConsumer { .listener(timer: self.id, number: id.number) }

  /// Why a timer ends that nobody holds any more.
  private var reasonToEnd: TimerFinishReason { driver.isShutDown ? .schedulerShutDown : .cancelled }

  private func finishIfUnheld(_ gate: inout TimerGate) {
    guard gate.listeners.isEmpty, gate.handleCount == 0 else { return }
    gate.machine.finish(.cancelled, at: { driver.clock.read() })
  }

  /// A handle was made.
  func holdHandle() {
    switch lifetime {
    case .handles: cell.withLock { $0.holdHandle() }
    case .stream, .own: break
    }
  }

  /// A handle was released.
  func releaseHandle() {
    switch lifetime {
    case .handles:
      if let followUp = change({ $0.releaseHandle(endingAs: reasonToEnd) }) {
        perform(followUp, onQueue: false)
        return
      }
      update { gate in
        gate.handleCount -= 1
        finishIfUnheld(&gate)
      }
    case .stream, .own: break
    }
  }

  // MARK: Taking

  /// A tick as a listener takes it.
  struct TakenTick: Sendable {
    let tick: TimerTick
    /// The number of the newest deadline that had passed.
    let newestOrdinal: Int64
  }

  /// Waits for the listener's next tick. Returns nil once there are no more.
  ///
  /// The tick is taken on the isolation of the caller, who gets it without a suspension in between.
  func next(_ id: ListenerID) async -> TakenTick? {
    while true {
      switch take(id) {
      case .tick(let tick, let newestOrdinal):
        noteTaken(by: id)
        return TakenTick(tick: tick, newestOrdinal: newestOrdinal)
      case .finished:
        driver.monitor?.noteLeft(consumer(id))
        return nil
      // Asking runs the user's rule, in the listener's task.
      case .consult(let query, let inquiry): adopt(query.ask(), to: inquiry)
      case .wait: await waitForChange(id)
      }
    }
  }

  /// Whether there may be a tick that the listener needn't wait for.
  func hasTick(for id: ListenerID) -> Bool {
    cell.withLock { $0.unfolded.map { !$0.gate.mustWait(id) } ?? false }
  }

  private func take(_ id: ListenerID) -> TimerStateMachine.TakeAction {
    takeFromOwner { gate, _ in gate.take(id, at: { driver.clock.read() }) }
  }

  /// Takes a tick while the owner, if there is one, is held, so that none is taken after its death.
  ///
  /// A tick that nobody has taken before is noted under the lock.
  func takeFromOwner(
    _ take: (inout TimerGate, (any AnyObject & Sendable)?) -> TimerStateMachine.TakeAction
  ) -> TimerStateMachine.TakeAction {
    let object = owner?.object
    if owner != nil, object == nil { finish(.ownerReleased) }
    return withExtendedLifetime(object) {
      update { gate in
        let taken = take(&gate, object)
        if case .tick(let tick, newestOrdinal: _) = taken, let count = gate.machine.ledger.countAnew() {
          driver.observation.note(tick, count, of: self)
        }
        return taken
      }
    }
  }

  func adopt(_ answer: RuleQuery.Answer, to inquiry: UInt64) {
    let reading = driver.clock.read()
    update { $0.machine.adopt(answer, to: inquiry, at: reading) }
  }

  /// Waits until there may be something to take.
  private func waitForChange(_ id: ListenerID) async {
    await WaitingConsumer.suspend(as: consumer(id), noting: driver.monitor) { consumer in
      cell.withLock { cell in
        let unfolded = cell.unfold()
        return unfolded.gate.wait(consumer, as: id)
      }
    }
  }
}
