/// What a timer's driver, its listeners, its action and those who control it share, under the lock of the timer.
///
/// A change is made to the machine or to the consumers, and ``effects(since:_:sparing:)`` then says what it makes necessary,
/// to be done outside the lock.
///
/// Every word counts here: an entry of up to 120 bytes is freed without a lock by the GNU C library, whose allocator is
/// else what threads wait for.
struct TimerShared: ~Copyable {
  private enum FirstListener { case none, joined, left }

  /// A first run while it is under way, or what there is of consumers. Most timers have neither or one of them.
  private enum RunOrConsumers {
    case none
    case firstRun(TrackedRun)
    case consumers(Consumers)
  }

  var machine: TimerStateMachine
  private var runOrConsumers = RunOrConsumers.none
  /// The action, unless it is given its owner or the timer has finished.
  var plainAction: TimerAction.Plain?
  /// The number of handles.
  private var handleCount: UInt32 = 0
  /// Where the timer is, from its start to its end.
  var place: Shards.Place?
  let onError: ActionErrorBehavior
  /// Says what the first listener has done as long as there is no more to know of it.
  private var firstListener = FirstListener.none
  private var flags: Flags

  /// In one byte, as every byte counts here.
  private struct Flags: OptionSet {
    let rawValue: UInt8

    static let hasAction = Flags(rawValue: 1)
    /// The timer's beginning was noted.
    static let hasBegun = Flags(rawValue: 2)
    // The consumers know these two better.
    static let firstRunHasBegun = Flags(rawValue: 4)
    static let actionHasTakenFirstTick = Flags(rawValue: 8)
    static let isReleasing = Flags(rawValue: 16)
  }

  init(machine: consuming TimerStateMachine, action: TimerAction?, onError: ActionErrorBehavior) {
    self.machine = machine
    plainAction = action?.plain
    flags = action == nil ? [] : .hasAction
    self.onError = onError
  }

  private var hasAction: Bool { flags.contains(.hasAction) }
  private var hasFirstRunBegun: Bool { flags.contains(.firstRunHasBegun) }

  /// Whether the timer has finished and what it held hasn't been released yet.
  var isReleasing: Bool {
    get { flags.contains(.isReleasing) }
    set { if newValue { flags.insert(.isReleasing) } else { flags.remove(.isReleasing) } }
  }

  var consumers: Consumers? {
    if case .consumers(let consumers) = runOrConsumers { consumers } else { nil }
  }

  mutating func makeConsumers() -> Consumers {
    if let consumers { return consumers }
    var listeners = Listeners()
    if firstListener != .none {
      let first = listeners.join(.start, taken: machine.ledger.settled)
      if firstListener == .left { _ = listeners.leave(first) }
    }
    let runs = ActionRuns(
      current: currentRun, count: hasFirstRunBegun ? 1 : 0, cursor: actionCursor ?? .start)
    let consumers = Consumers(listeners, runs)
    runOrConsumers = .consumers(consumers)
    return consumers
  }

  /// The timer begins, by being filed or by whatever comes before that. Returns whether it hadn't.
  mutating func begin() -> Bool {
    flags.insert(.hasBegun).inserted
  }

  // MARK: The action

  /// Whether a run of the action is under way, or its task is about to begin.
  var isRunning: Bool { currentRun != nil }
  /// The number of that run.
  var run: UInt64? { currentRun?.run.number }

  private var currentRun: TrackedRun? {
    switch runOrConsumers {
    case .none: nil
    case .firstRun(let run): run
    case .consumers(let consumers): consumers.runs.current
    }
  }

  /// The number of the run that is to begin.
  var nextRun: UInt64 { 1 + (consumers?.runs.count ?? (hasFirstRunBegun ? 1 : 0)) }

  /// What the action last threw.
  var failure: (any Error)? { consumers?.runs.failure }
  var failureCount: Int { consumers?.runs.failureCount ?? 0 }

  /// The action, which `badge` has if it is given its owner. Nil once the timer has finished.
  func action(_ badge: TimerBadge?) -> TimerAction? {
    if let plainAction { return TimerAction(plainAction) }
    return hasAction ? badge?.ownedAction.map { TimerAction($0) } : nil
  }

  var actionCursor: TickCursor? {
    guard hasAction else { return nil }
    return consumers?.runs.cursor ?? (flags.contains(.actionHasTakenFirstTick) ? .afterFirst : .start)
  }

  /// The task of the action asks for a tick.
  mutating func takeForAction(at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = actionCursor else { return .finished }
    let taken = machine.take(&cursor, at: now)
    if let consumers {
      consumers.runs.cursor = cursor
    } else if cursor == .afterFirst {
      flags.insert(.actionHasTakenFirstTick)
    } else if cursor != .start {
      makeConsumers().runs.cursor = cursor
    }
    return taken
  }

  mutating func begin(_ run: TrackedRun) {
    switch runOrConsumers {
    case .none where !hasFirstRunBegun:
      flags.insert(.firstRunHasBegun)
      runOrConsumers = .firstRun(run)
    case .none, .firstRun, .consumers:
      makeConsumers().runs.begin(run)
    }
  }

  /// Keeps the handle of a run's task, if the run is under way. Returns true if the task is to be cancelled.
  func keep(_ task: RunTask, of run: TrackedRun) -> Bool { currentRun === run && run.keep(task) }

  /// Returns the task of a run that is to be cancelled, if there is one.
  func cancelRun() -> RunTask? { currentRun?.cancel() }

  /// The run that is under way has ended. Returns whether its task was cancelled, or is about to be.
  mutating func endRun() -> Bool {
    let isCancelled = currentRun?.giveUpTask() ?? false
    if let consumers { consumers.runs.end() } else { runOrConsumers = .none }
    return isCancelled
  }

  /// Keeps what the action has thrown, and returns what it threw before.
  mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    makeConsumers().runs.fail(error, counting: counting)
  }

  // MARK: Listeners and handles

  private var hasListeners: Bool {
    consumers.map { !$0.listeners.isEmpty } ?? (firstListener == .joined)
  }

  enum JoinAction {
    case joined(Listeners.ID)
    /// Others listen already, and the rule is to be asked first which dates were theirs alone.
    case consult(RuleQuery, inquiry: UInt64)
  }

  mutating func join(at now: () -> ClockReading) -> JoinAction {
    let isAlone = !hasListeners && !hasAction
    if !isAlone, let (query, inquiry) = machine.consult(at: now) { return .consult(query, inquiry: inquiry) }
    let cursor = machine.join(isAlone: isAlone, at: now)
    if consumers == nil, firstListener == .none, cursor == .start {
      firstListener = .joined
      return .joined(.first)
    }
    return .joined(makeConsumers().listeners.join(cursor, taken: machine.ledger.settled))
  }

  /// Returns the tasks of the listener that waited, or nil if it had left before.
  mutating func leave(_ id: Listeners.ID) -> WaitingConsumers? {
    if consumers == nil {
      guard id == .first, firstListener == .joined else { return nil }
      firstListener = .left
      if hasAction { machine.listenerLeft(slowest: .start) }
      return WaitingConsumers()
    }
    let all = makeConsumers()
    guard let waiting = all.listeners.leave(id) else { return nil }
    let others = [all.listeners.slowest(taken: machine.ledger.settled), actionCursor].compactMap(\.self)
    if let slowest = others.min() { machine.listenerLeft(slowest: slowest) }
    return waiting
  }

  mutating func holdHandle() { handleCount += 1 }

  mutating func releaseHandle() { handleCount -= 1 }

  /// Whether nobody has the timer any more that lives by its handles and listeners.
  var isUnheld: Bool { handleCount == 0 && !hasListeners }

  private func cursor(of id: Listeners.ID) -> TickCursor? {
    if let consumers { return consumers.listeners.cursor(of: id) }
    return id == .first && firstListener == .joined ? .start : nil
  }

  mutating func take(_ id: Listeners.ID, at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = cursor(of: id) else { return .finished }
    let taken = machine.take(&cursor, at: now)
    switch taken {
    case .tick: makeConsumers().listeners.move(id, to: cursor, taken: machine.ledger.settled)
    case .wait, .consult, .finished: break
    }
    return taken
  }

  /// Whether a listener that asks now has to wait.
  func mustWait(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.mustWait($0) } ?? false
  }

  /// Whether a listener that asks now may get a tick.
  func canTake(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.canTake($0) } ?? false
  }

  /// Adds a waiting task, if its listener has to wait.
  mutating func wait(_ consumer: WaitingConsumer, as id: Listeners.ID) -> Bool {
    guard mustWait(id) else { return false }
    let consumers = makeConsumers()
    consumers.listeners.add(consumer, to: id)
    // The listener may be owed a tick that it can't take now, as while the timer is paused.
    if consumers.readiness != machine.readiness { consumers.readiness = nil }
    return true
  }

  func containsListener(where isSo: (TickCursor) -> Bool) -> Bool {
    consumers?.listeners.contains(where: isSo) ?? (firstListener == .joined && isSo(.start))
  }

  /// Whether a listener has a tick to take.
  var hasTickToTake: Bool { containsListener { !machine.mustWait($0) } }

  /// Whether a listener or the action waits, and will take a tick at once.
  var isAwaited: Bool {
    hasAction && !isRunning || consumers?.listeners.isAwaited == true
  }
}
