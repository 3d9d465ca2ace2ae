/// What a timer's driver, its listeners, its action and those who control it share, under the lock of the timer.
///
/// A change is made to the machine or to the consumers, and ``effects(since:_:sparing:)`` then says what it makes necessary,
/// to be done outside the lock.
///
/// Every word counts here: an entry of up to 120 bytes is freed without a lock by the GNU C library, whose allocator is
/// else what threads wait for.
struct TimerShared: ~Copyable {
  enum FirstListener { case none, joined, left }

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
  var handleCount: UInt32 = 0
  /// Where the timer is or, once it has ended, was.
  private(set) var lastPlace: Shards.Place?
  let onError: ActionErrorBehavior
  /// Says what the first listener has done as long as there is no more to know of it.
  var firstListener = FirstListener.none
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
    static let hasPlace = Flags(rawValue: 32)
  }

  init(machine: consuming TimerStateMachine, action: TimerAction?, onError: ActionErrorBehavior) {
    self.machine = machine
    plainAction = action?.plain
    flags = action == nil ? [] : .hasAction
    self.onError = onError
  }

  var hasAction: Bool { flags.contains(.hasAction) }
  private var hasFirstRunBegun: Bool { flags.contains(.firstRunHasBegun) }

  /// Whether the timer has finished and what it held hasn't been released yet.
  var isReleasing: Bool {
    get { flags.contains(.isReleasing) }
    set { if newValue { flags.insert(.isReleasing) } else { flags.remove(.isReleasing) } }
  }

  /// Where the timer is, from its start to its end.
  var place: Shards.Place? {
    get { flags.contains(.hasPlace) ? lastPlace : nil }
    set {
      if let newValue {
        lastPlace = newValue
        flags.insert(.hasPlace)
      } else {
        flags.remove(.hasPlace)
      }
    }
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
}
