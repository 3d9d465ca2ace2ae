/// One timer, as its scheduler and its consumer share it.
///
/// The scheduler fires it and the consumer takes ticks from it, both through the gate. The gate alone
/// decides; the scheduler is only told to look again, and then compares what the gate wants with what is
/// filed. So it doesn't matter in which order concurrent calls reach it.
package final class TimerRecord: Sendable {
  package typealias Filing = TimerStateMachine.Filing

  private struct Conclusion: Sendable {
    var consumers: WaitingConsumers
    var rule: (any TickRule)?
  }

  /// Where producer and consumer meet.
  private struct Gate: ~Copyable {
    var machine: TimerStateMachine
    var consumers = WaitingConsumers()
    /// Whether the scheduler is going to look at the record.
    var isPosted = false

    /// Whether the scheduler has to be told, which is remembered as done.
    mutating func post() -> Bool {
      defer { isPosted = true }
      return !isPosted
    }

    /// Empties the gate of a finished timer of what has to be resumed or released outside the lock.
    mutating func conclude() -> Conclusion {
      Conclusion(consumers: consumers.takeAll(), rule: machine.relinquishRule())
    }
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
    look()
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
    guard let query = gate.withLock({ $0.machine.noteWallClockSetBack(at: reading) }) else { return }
    // A rule is the user's code, which has no place on the timer queue.
    Task { consult(query) }
  }

  // MARK: The consumer's side

  /// Waits for the next tick. Returns nil once there are no more.
  package func next() async -> TimerTick? {
    while true {
      switch gate.withLock({ $0.machine.take(at: keeper.clock.read) }) {
      case .tick(let tick, look: let changed):
        if changed { look() }
        return tick
      case .finished(look: let changed):
        if changed { look() }
        return nil
      case .consult(let query):
        consult(query)
      case .wait:
        await waitForChange()
      }
    }
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

  /// Runs the user's rule, on the caller's thread.
  private func consult(_ query: RuleQuery) {
    let answer = query.ask()
    let reading = keeper.clock.read()
    let consumers = gate.withLock { gate in
      gate.machine.goOn(with: answer, at: reading)
      return gate.consumers.takeAll()
    }
    consumers.resumeAll()
    look()
  }

  // MARK: Both

  /// Ends the timer, unless it has ended. When this returns, no tick leaves it any more.
  package func finish(_ reason: FinishReason) {
    switch gate.withLock({ $0.machine.finish(reason) }) {
    case .none: break
    case .conclude: look()
    }
  }

  /// Has the scheduler look at the record, and concludes the timer if it has finished.
  private func look() {
    let (isToBePosted, conclusion) = gate.withLock { gate in
      (gate.post(), gate.machine.isFinished ? gate.conclude() : nil)
    }
    if let conclusion {
      conclusion.consumers.resumeAll()
      if let name { keeper.giveUp(name, of: self) }
    }
    if isToBePosted { keeper.look(at: self) }
  }
}
