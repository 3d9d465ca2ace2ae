/// One timer, as its scheduler, its listeners and those who control it share it.
///
/// The scheduler fires it and listeners take ticks from it, all through the gate. The gate alone decides;
/// the scheduler is only told to look again, and then compares what the gate wants with what is filed. So
/// it doesn't matter in which order concurrent calls reach it.
final class TimerRecord: Sendable {
  typealias Filing = TimerStateMachine.Filing

  /// What a timer lives by, besides its schedule.
  enum Lifetime: Sendable {
    /// Ends with its first listener.
    case stream
    /// Ends when there is neither a handle nor a listener.
    case handles
    /// Ends when told to.
    case own
  }

  let id: UInt64
  let name: String?
  let owner: OwnerReference?
  let lifetime: Lifetime
  let keeper: any TimerKeeper
  /// Guards the timer's state, its listeners and its action.
  let gate: Lock<TimerGate>

  /// Where the scheduler has the record.
  ///
  /// Confined to the keeper's isolation: the registry and the firing code, which are isolated to the
  /// actor, alone touch it.
  @safe nonisolated(unsafe) var placement = Placement()

  init(
    id: UInt64, name: String?, owner: OwnerReference?, lifetime: Lifetime, keeper: any TimerKeeper,
    plan: TimerPlan, at reading: ClockReading, action: TimerAction?, onError: ActionErrorBehavior
  ) {
    self.id = id
    self.name = name
    self.owner = owner
    self.lifetime = lifetime
    self.keeper = keeper
    gate = Lock(
      TimerGate(
        machine: TimerStateMachine(plan, at: reading), action: action.map { ActionSlot($0, onError: onError) }
      ))
  }

  // MARK: Changes

  /// Makes a change under the lock, and outside it all that the change makes necessary.
  ///
  /// When this returns the change holds for everybody. A scheduler that has shut down ends the timer first.
  @discardableResult
  func update<Result: Sendable>(
    onQueue: Bool = false, _ change: (inout TimerGate) -> Result
  ) -> Result {
    let (result, followUp) = gate.withLock { gate -> (Result, FollowUp) in
      let before = gate.outlook
      if keeper.isShutDown { gate.machine.finish(.schedulerShutDown, at: keeper.clock.read) }
      let result = change(&gate)
      return (result, gate.followUp(since: before))
    }
    perform(followUp, onQueue: onQueue)
    return result
  }

  func perform(_ followUp: FollowUp, onQueue: Bool) {
    // First of all, so that whoever is told of the end doesn't find the timer by its name any more.
    if followUp.isEnd { keeper.giveUp(self) }
    followUp.consumers.resumeAll(noting: keeper.monitor)
    if let run = followUp.run { start(ActionRun(timer: id, number: run)) }
    if followUp.isToBePosted { keeper.look(at: self) }
    if let remains = followUp.remains, !remains.isEmpty {
      // Elsewhere than on the queue they are released here, with the last reference to them.
      if onQueue { keeper.dispose(of: remains) } else { remains.task?.cancel() }
    }
  }

  // MARK: Begin and end

  /// Hands the timer to its scheduler for the first time.
  func start() {
    let followUp = gate.withLock { $0.followUp(since: nil) }
    perform(followUp, onQueue: false)
  }

  /// Ends the timer as replaced, and leaves it to the caller to perform what follows.
  func replace() -> FollowUp {
    gate.withLock { gate in
      let before = gate.outlook
      gate.machine.finish(.replaced, at: keeper.clock.read)
      return gate.followUp(since: before)
    }
  }

  /// Ends the timer, unless it has ended. When this returns, no tick leaves it any more.
  func finish(_ reason: ScheduledTimer.FinishReason, onQueue: Bool = false) {
    update(onQueue: onQueue) { $0.machine.finish(reason, at: keeper.clock.read) }
  }

  /// Ends the timer if its owner is gone. Returns false in that case.
  @discardableResult
  func checkOwner() -> Bool {
    guard let owner, owner.isGone else { return true }
    finish(.ownerReleased)
    return false
  }
}
