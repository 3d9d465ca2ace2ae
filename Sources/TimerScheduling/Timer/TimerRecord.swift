/// One timer, as its scheduler and its consumer share it.
///
/// The scheduler fires it and the consumer takes ticks from it, both through the gate. The gate alone
/// decides; the scheduler is only told to look again, and then compares what the gate wants with what is
/// filed. So it doesn't matter in which order concurrent calls reach it.
package final class TimerRecord: Sendable {
  package typealias Filing = TimerStateMachine.Filing

  /// Where producer and consumer meet.
  private struct Gate: ~Copyable {
    var machine: TimerStateMachine
    var consumers = WaitingConsumers()
    /// Whether the scheduler is going to look at the record.
    var isPosted = false

    /// What a change makes necessary, with what has to be resumed or released outside the lock.
    mutating func followUp(look: Bool) -> FollowUp {
      var followUp = FollowUp()
      if machine.isFinished {
        followUp.consumers = consumers.takeAll()
        followUp.rule = machine.relinquishRule()
        followUp.isNameFree = true
      } else if !machine.mustWait, let consumer = consumers.takeFirst() {
        followUp.consumers.add(consumer)
      }
      if look, !isPosted {
        isPosted = true
        followUp.isToBePosted = true
      }
      return followUp
    }
  }

  private struct FollowUp: Sendable {
    var consumers = WaitingConsumers()
    var rule: (any TickRule)?
    var isNameFree = false
    var isToBePosted = false
  }

  package let id: UInt64
  let name: String?
  private let keeper: any TimerKeeper
  /// Guards the timer's state and the consumers that wait.
  private let gate: Lock<Gate>

  /// Where the scheduler has the record.
  ///
  /// Confined to the keeper's isolation: the registry and the firing code, which are isolated to the
  /// actor, alone touch it.
  @safe nonisolated(unsafe) var placement = Placement()

  package init(
    id: UInt64, name: String?, keeper: any TimerKeeper, machine: consuming sending TimerStateMachine
  ) {
    self.id = id
    self.name = name
    self.keeper = keeper
    gate = Lock(Gate(machine: machine))
  }

  // MARK: The scheduler's side

  /// Hands the timer to its scheduler for the first time.
  package func start() {
    perform(gate.withLock { $0.followUp(look: true) })
  }

  /// Fires the timer, which is no longer filed, and returns what it wants to be filed for next.
  package func fire(at reading: ClockReading) -> Filing? {
    let (filing, consumer) = gate.withLock { gate -> (Filing?, WaitingConsumer?) in
      switch gate.machine.fire(at: reading, isAwaited: !gate.consumers.isEmpty) {
      case .none: (gate.machine.filing, nil)
      case .wakeConsumer: (gate.machine.filing, gate.consumers.takeFirst())
      }
    }
    consumer?.resume()
    return filing
  }

  /// What the scheduler finds when it looks at a record.
  package enum Wish {
    case filed(Filing)
    case unfiled
    case gone
  }

  /// The scheduler looks. Changes from now on are posted anew.
  package func collectWish() -> Wish {
    gate.withLock { gate in
      gate.isPosted = false
      if gate.machine.isFinished { return .gone }
      return gate.machine.filing.map { .filed($0) } ?? .unfiled
    }
  }

  /// Has the timer consider that the wall clock was set back. The scheduler looks at it afterwards.
  package func noteWallClockSetBack(at reading: ClockReading) {
    switch gate.withLock({ $0.machine.noteWallClockSetBack(at: reading) }) {
    case .none: break
    // A rule is the user's code, which has no place on the timer queue.
    case .consult: Task { consultAnew() }
    }
  }

  private func consultAnew() {
    let query = gate.withLock { $0.machine.consultAnew(at: keeper.clock.read()) }
    if let query { take(with: query.ask()) }
  }

  // MARK: The consumer's side

  /// Waits for the next tick. Returns nil once there are no more.
  package func next() async -> TimerTick? {
    while true {
      var action = take()
      // Asking runs the user's rule, in the consumer's task.
      if case .consult(let query) = action { action = take(with: query.ask()) }
      switch action {
      case .tick(let tick, look: _): return tick
      case .finished: return nil
      case .wait, .consult: await waitForChange()
      }
    }
  }

  private func take() -> TimerStateMachine.TakeAction {
    let (action, followUp) = gate.withLock { gate in
      let action = gate.machine.take(at: keeper.clock.read)
      return (action, gate.followUp(look: action.needsLook))
    }
    perform(followUp)
    return action
  }

  @discardableResult
  private func take(with answer: RuleQuery.Answer) -> TimerStateMachine.TakeAction {
    let reading = keeper.clock.read()
    let (action, followUp) = gate.withLock { gate in
      (gate.machine.take(with: answer, at: reading), gate.followUp(look: true))
    }
    perform(followUp)
    return action
  }

  /// Waits until there may be something to take.
  private func waitForChange() async {
    await WaitingConsumer.suspend { consumer in
      gate.withLock { gate in
        guard gate.machine.mustWait else { return false }
        gate.consumers.add(consumer)
        return true
      }
    }
  }

  // MARK: Both

  /// Ends the timer, unless it has ended. When this returns, no tick leaves it any more.
  package func finish(_ reason: FinishReason) {
    let followUp = gate.withLock { gate -> FollowUp? in
      switch gate.machine.finish(reason) {
      case .none: nil
      case .conclude: gate.followUp(look: true)
      }
    }
    if let followUp { perform(followUp) }
  }

  private func perform(_ followUp: FollowUp) {
    followUp.consumers.resumeAll()
    if followUp.isNameFree, let name { keeper.giveUp(name, of: self) }
    if followUp.isToBePosted { keeper.look(at: self) }
  }
}
