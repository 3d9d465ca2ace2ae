/// What a timer's driver, its listeners, its action and those who control it share, under the lock of the timer.
///
/// A change is made to the machine or to the consumers, and ``effects(since:_:sparing:)`` then says what it makes necessary,
/// to be done outside the lock.
///
/// Every word counts here: an entry of up to 120 bytes is freed without a lock by the GNU C library, whose allocator is
/// else what threads wait for.
package struct TimerShared: ~Copyable {
  enum FirstListener { case none, joined, left }

  /// The task of a first run while that is under way, or what there is of consumers. Most timers have neither or one.
  private enum TaskOrConsumers {
    case none
    case task(RunTask)
    case consumers(Consumers)
  }

  var machine: TimerStateMachine
  private var taskOrConsumers = TaskOrConsumers.none
  /// The action, if it is a closure and the timer has not finished.
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
    static let isRunning = Flags(rawValue: 64)
    /// The task of the run was cancelled, or will be once it is known.
    static let runIsCancelled = Flags(rawValue: 128)
  }

  package init(machine: consuming TimerStateMachine, action: TimerAction?, onError: ActionErrorBehavior) {
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
    if case .consumers(let consumers) = taskOrConsumers { consumers } else { nil }
  }

  mutating func makeConsumers() -> Consumers {
    if let consumers { return consumers }
    var listeners = Listeners()
    if firstListener != .none {
      let first = listeners.join(.start, taken: machine.ledger.settled)
      if firstListener == .left { _ = listeners.leave(first) }
    }
    let runs = ActionRuns(cursor: actionCursor ?? .start, task: runTask, count: runCount)
    let consumers = Consumers(listeners, runs)
    taskOrConsumers = .consumers(consumers)
    return consumers
  }

  /// The timer begins, by being filed or by whatever comes before that. Returns whether it hadn't.
  mutating func begin() -> Bool {
    flags.insert(.hasBegun).inserted
  }

  // MARK: Runs of the action

  /// Whether a run of the action is under way, or its task is about to begin.
  package var isRunning: Bool { flags.contains(.isRunning) }

  /// The number of that run.
  package var run: UInt64? { isRunning ? runCount : nil }

  /// The number of runs that have begun.
  private var runCount: UInt64 { consumers?.runs.count ?? (hasFirstRunBegun ? 1 : 0) }

  /// The task of the run that is under way, once that is known.
  private var runTask: RunTask? {
    get {
      switch taskOrConsumers {
      case .none: nil
      case .task(let task): task
      case .consumers(let consumers): consumers.runs.task
      }
    }
    set {
      if let consumers {
        consumers.runs.task = newValue
      } else {
        taskOrConsumers = newValue.map { .task($0) } ?? .none
      }
    }
  }

  /// Begins a run, and returns its number.
  package mutating func beginRun() -> UInt64 {
    flags.insert(.isRunning)
    if consumers != nil || hasFirstRunBegun {
      makeConsumers().runs.count += 1
    } else {
      flags.insert(.firstRunHasBegun)
    }
    return runCount
  }

  /// Keeps the task of the run with `number`, if that is under way. Returns whether the task is to be cancelled.
  package mutating func keep(_ task: RunTask, ofRun number: UInt64) -> Bool {
    guard run == number else { return false }
    runTask = task
    return flags.contains(.runIsCancelled)
  }

  /// The run that is under way is to be cancelled. Returns its task, unless that isn't known yet.
  package mutating func cancelRun() -> RunTask? {
    if isRunning { flags.insert(.runIsCancelled) }
    return runTask
  }

  /// The run that is under way has ended. Returns whether its task was cancelled, or is about to be.
  package mutating func endRun() -> Bool {
    let isCancelled = flags.contains(.runIsCancelled)
    flags.subtract([.isRunning, .runIsCancelled])
    // The task itself calls this, so this isn't its last reference.
    runTask = nil
    return isCancelled
  }

  // MARK: The action

  /// What the action last threw.
  var failure: (any Error)? { consumers?.runs.failure }
  var failureCount: Int { consumers?.runs.failureCount ?? 0 }

  /// The action, which `badge` has if it is more than a closure. Nil once the timer has finished.
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

  /// Keeps what the action has thrown, and returns what it threw before.
  package mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    makeConsumers().runs.fail(error, counting: counting)
  }
}
