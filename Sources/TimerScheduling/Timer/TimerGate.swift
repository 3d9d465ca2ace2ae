/// Where a timer's scheduler, its listeners and those who control it meet.
///
/// Kept under the lock of its ``TimerRecord``. A change is made to the machine, and ``followUp(since:)``
/// then says what it makes necessary, to be done outside the lock.
struct TimerGate: ~Copyable {
  var machine: TimerStateMachine
  var audience = Audience()
  var action: ActionSlot?
  /// Tasks that wait for the end.
  var waiters: [EndWaiter] = []
  /// How many handles there are.
  var handleCount: Int32 = 0

  init(machine: consuming TimerStateMachine, action: consuming ActionSlot?) {
    self.machine = machine
    self.action = action
  }

  /// Whether somebody waits who will take a tick at once.
  var isAwaited: Bool {
    action?.isIdle == true || audience.isAwaited
  }

  /// Whether a task runs the action, or is about to.
  private var isRunning: Bool {
    action?.isIdle == false
  }

  /// Whether no run of the action is under way.
  var isQuiet: Bool { !isRunning }

  /// What the action last threw.
  var failure: (any Error)? { action?.failure }

  /// Whether the action has yet to run for a tick.
  private var isActionOwed: Bool {
    action.map { machine.owes($0.cursor) } ?? false
  }

  /// Whether anybody has a tick left to take.
  private var isOwed: Bool {
    isActionOwed || audience.contains { machine.owes($0) }
  }

  // MARK: Listening

  private var hasNobody: Bool { audience.isEmpty && action == nil }

  enum JoinAction {
    case joined(Audience.ListenerID)
    /// Others listen already, and the rule is to be asked first which dates were theirs alone.
    case consult(RuleQuery, inquiry: UInt32)
  }

  mutating func join(at now: () -> ClockReading) -> JoinAction {
    if !hasNobody, let (query, inquiry) = machine.consult(at: now) {
      return .consult(query, inquiry: inquiry)
    }
    return .joined(audience.join(machine.join(isAlone: hasNobody, at: now)))
  }

  /// Returns the tasks of the listener that waited, or nil if it had left before.
  mutating func leave(_ id: Audience.ListenerID) -> WaitingConsumers? {
    guard let consumers = audience.leave(id) else { return nil }
    if let cursor = action?.cursor {
      machine.noteLeft(remaining: audience.cursors + [cursor])
    } else if !audience.isEmpty {
      machine.noteLeft(remaining: audience.cursors)
    }
    return consumers
  }

  mutating func take(
    _ id: Audience.ListenerID, at now: () -> ClockReading
  ) -> TimerStateMachine.TakeAction {
    audience.withCursor(of: id) { machine.take(&$0, at: now) } ?? .finished
  }

  /// The task of the action asks for a tick, and ends where there is none.
  mutating func takeForAction(at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = action?.cursor else { return .finished }
    let taken = machine.take(&cursor, at: now)
    action?.cursor = cursor
    switch taken {
    case .tick, .consult: break
    case .wait, .finished: action?.end()
    }
    return taken
  }

  /// Whether a listener that asks now has to wait.
  func mustWait(_ id: Audience.ListenerID) -> Bool {
    audience.cursor(of: id).map { machine.mustWait($0) } ?? false
  }

  // MARK: Following up

  /// What a change makes necessary outside the lock. Before it the timer was in the state `old`.
  mutating func followUp(since old: ScheduledTimer.State) -> FollowUp {
    machine.completeIfOver(isOwed: isOwed, isRunning: isRunning || isActionOwed)
    let news = TimerNews(from: old, to: machine.publicState)
    var followUp = FollowUp(news: news, isEnd: news.isEnd)
    let isFinished = machine.isFinished
    followUp.consumers = audience.takeConsumers(all: isFinished) { !machine.mustWait($0) }
    if let cursor = action?.cursor, machine.canTake(cursor) { followUp.run = action?.call() }
    if isFinished {
      if followUp.isEnd { followUp.remains = remains() }
      takeWaiters(to: &followUp.consumers)
    }
    return followUp
  }

  /// What the scheduler is to do for the timer.
  var wish: TimerRecord.Wish {
    if machine.isFinished { return .gone(holdsError: action?.failure != nil) }
    return machine.filing.map { .filed($0) } ?? .unfiled
  }

  /// Takes out everything of the user's that a finished timer holds.
  private mutating func remains() -> FollowUp.Remains {
    let rule = machine.relinquishRule()
    let task = machine.cancelsRunningAction ? action?.cancel() : nil
    let others = rule == nil && task == nil ? nil : FollowUp.Remains.Others(rule: rule, task: task)
    return FollowUp.Remains(action: action?.giveUp(), others: others)
  }

  private mutating func takeWaiters(to consumers: inout WaitingConsumers) {
    guard !waiters.isEmpty else { return }
    let isQuiet = !isRunning
    let leaving = waiters.filter { isQuiet || !$0.isForQuiet }
    waiters.removeAll { isQuiet || !$0.isForQuiet }
    for waiter in leaving { consumers.add(waiter.consumer) }
  }
}

/// A task that waits for a timer's end.
struct EndWaiter: Sendable {
  let number: UInt64
  let consumer: WaitingConsumer
  /// Whether it waits for a running action, too.
  let isForQuiet: Bool
}
