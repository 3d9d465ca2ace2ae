/// Where a timer's driver, its listeners and those who control it meet.
///
/// Kept under the lock of its ``TimerEntry``. A change is made to the machine, and ``followUp(since:sparing:)``
/// then says what it makes necessary, to be done outside the lock.
struct TimerGate: ~Copyable {
  var machine: TimerStateMachine
  var listeners = Listeners()
  var action: ActionSlot?
  /// Tasks that wait for the end, by their numbers, which rise.
  var waiters: [UInt64: EndWaiter] = [:]
  /// The number of handles.
  var handleCount = 0
  /// The readiness for which the listeners that wait were last woken.
  private var readiness: TimerStateMachine.Readiness?

  init(machine: consuming TimerStateMachine, action: consuming ActionSlot?) {
    self.machine = machine
    self.action = action
  }

  /// Whether a listener or the action waits, and will take a tick at once.
  var isAwaited: Bool {
    action?.isIdle == true || listeners.isAwaited
  }

  /// Whether a run of the action is under way, or its task is about to begin.
  var isRunning: Bool {
    action?.isIdle == false
  }

  /// What the action last threw.
  var failure: (any Error)? { action?.failure }

  /// Whether the action has yet to run for a tick.
  private var isActionOwed: Bool {
    action.map { machine.owes($0.cursor) } ?? false
  }

  // MARK: Listening

  private var hasNoConsumer: Bool { listeners.isEmpty && action == nil }

  enum JoinAction {
    case joined(Listeners.ID)
    /// Others listen already, and the rule is to be asked first which dates were theirs alone.
    case consult(RuleQuery, inquiry: UInt64)
  }

  mutating func join(at now: () -> ClockReading) -> JoinAction {
    if !hasNoConsumer, let (query, inquiry) = machine.consult(at: now) {
      return .consult(query, inquiry: inquiry)
    }
    let cursor = machine.join(isAlone: hasNoConsumer, at: now)
    return .joined(listeners.join(cursor, taken: machine.ledger.settled))
  }

  /// Returns the tasks of the listener that waited, or nil if it had left before.
  mutating func leave(_ id: Listeners.ID) -> WaitingConsumers? {
    guard let consumers = listeners.leave(id) else { return nil }
    let others = [listeners.slowest(taken: machine.ledger.settled), action?.cursor].compactMap(\.self)
    if let slowest = others.min() { machine.listenerLeft(slowest: slowest) }
    return consumers
  }

  mutating func take(_ id: Listeners.ID, at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = listeners.cursor(of: id) else { return .finished }
    let taken = machine.take(&cursor, at: now)
    switch taken {
    case .tick: listeners.move(id, to: cursor, taken: machine.ledger.settled)
    case .wait, .consult, .finished: break
    }
    return taken
  }

  /// The task of the action asks for a tick.
  mutating func takeForAction(at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = action?.cursor else { return .finished }
    defer { action?.cursor = cursor }
    return machine.take(&cursor, at: now)
  }

  /// Whether a listener that asks now has to wait.
  func mustWait(_ id: Listeners.ID) -> Bool {
    listeners.cursor(of: id).map { machine.mustWait($0) } ?? false
  }

  /// Adds a waiting task, if its listener has to wait.
  mutating func wait(_ consumer: WaitingConsumer, as id: Listeners.ID) -> Bool {
    guard mustWait(id) else { return false }
    listeners.add(consumer, to: id)
    // The listener may be owed a tick that it can't take now, as while the timer is paused.
    if readiness != machine.readiness { readiness = nil }
    return true
  }

  /// Whether a listener has a tick to take.
  var hasTickToTake: Bool { listeners.contains { !machine.mustWait($0) } }

  // MARK: Following up

  /// What a change makes necessary outside the lock. Before it the timer was in the state `old`.
  ///
  /// A run with the number `spared` isn't cancelled by the timer's end.
  mutating func followUp(since old: TimerState, sparing spared: UInt64? = nil) -> FollowUp {
    if machine.isEnding {
      let isOwed = isActionOwed || listeners.contains { machine.owes($0) }
      machine.completeIfOver(isOwed: isOwed, isRunning: isRunning || isActionOwed)
    }
    let news = TimerNews(from: old, to: machine.publicState)
    var followUp = FollowUp(news: news, isEnd: news.isEnd)
    let isFinished = machine.isFinished
    if isFinished || readiness != machine.readiness {
      let (consumers, isComplete) = listeners.takeConsumers(all: isFinished) { !machine.mustWait($0) }
      followUp.consumers = consumers
      readiness = isComplete ? machine.readiness : nil
    }
    if let cursor = action?.cursor, machine.canTake(cursor) { followUp.calledRun = action?.call() }
    if followUp.isEnd { followUp.remains = takeRemains(sparing: spared) }
    return followUp
  }

  /// How the timer is to be filed.
  var registration: Registration {
    if machine.isFinished { return .gone(holdsError: action?.failure != nil) }
    return machine.filing.map { .filed($0) } ?? .dormant
  }

  /// Takes out everything of the user's that a finished timer holds.
  private mutating func takeRemains(sparing spared: UInt64?) -> FollowUp.Remains {
    let rule = machine.relinquishRule()
    let isCancelled = machine.cancelsRunningAction && (spared == nil || action?.run != spared)
    let task = isCancelled ? action?.cancel() : nil
    let others = rule == nil && task == nil ? nil : FollowUp.Remains.Others(rule: rule, task: task)
    return FollowUp.Remains(action: action?.giveUp(), others: others)
  }

  /// Whether a wait for the end of the timer, which has finished, is over, for a task that with `quiet` also waits for
  /// a running action. A run that has failed still holds what its action has captured, so every task waits for it.
  func isWaitOver(quiet: Bool) -> Bool {
    !isRunning || !(quiet || machine.finishReason == .failed)
  }

  /// Takes out the tasks whose wait for the end is over, in the order in which they came.
  mutating func takeWaiters() -> [WaitingConsumer]? {
    guard !waiters.isEmpty else { return nil }
    let over = waiters.filter { isWaitOver(quiet: $0.value.isForQuiet) }
    for number in over.keys { waiters[number] = nil }
    return over.sorted { $0.key < $1.key }.map(\.value.consumer)
  }
}

/// A task that waits for a timer's end.
struct EndWaiter: Sendable {
  let consumer: WaitingConsumer
  /// Whether it waits for a running action, too.
  let isForQuiet: Bool
}
