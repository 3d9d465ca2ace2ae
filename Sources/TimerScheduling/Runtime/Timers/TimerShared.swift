/// The state of a timer under its lock, shared by its scheduler, its listeners, its action and its handles.
///
/// A change is made to the machine or to the consumers. Then ``effects(since:_:sparing:)`` returns the work to be
/// done outside the lock.
///
/// Every word counts here: the GNU C library frees an entry of up to 120 bytes without a lock. For larger ones,
/// threads contend for the lock of its allocator.
package struct TimerShared: ~Copyable {
  enum FirstListener { case none, joined, left }

  /// The task of the first run while it is under way, or the consumers. Most timers have neither or only one of
  /// these.
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
  /// The timer's place or, once it has ended, its last place.
  private(set) var lastPlace: Shards.Place?
  let onError: ActionErrorBehavior
  /// The state of the first listener, used while there are no ``Consumers``.
  var firstListener = FirstListener.none
  private var flags: Flags

  /// Stored in one byte, as every byte counts here.
  private struct Flags: OptionSet {
    let rawValue: UInt8

    static let hasAction = Flags(rawValue: 1)
    /// The timer's beginning was recorded.
    static let hasBegun = Flags(rawValue: 2)
    // If there are consumers, these have the exact counts.
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

  /// Whether the timer has finished and its values haven't been released yet.
  var isReleasing: Bool {
    get { flags.contains(.isReleasing) }
    set { if newValue { flags.insert(.isReleasing) } else { flags.remove(.isReleasing) } }
  }

  /// The timer's place, from its start to its end.
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

  /// Notes that the timer begins, by being filed or through an earlier change. Returns false if it had already begun.
  mutating func begin() -> Bool {
    flags.insert(.hasBegun).inserted
  }

  // MARK: Runs of the action

  /// Whether a run of the action is under way, or its task is about to begin.
  package var isRunning: Bool { flags.contains(.isRunning) }

  /// The number of the run under way.
  package var run: UInt64? { isRunning ? runCount : nil }

  /// The number of runs begun so far.
  private var runCount: UInt64 { consumers?.runs.count ?? (hasFirstRunBegun ? 1 : 0) }

  /// The task of the run under way, once it is known.
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

  /// Keeps the task of the run with `number`, if it is under way. Returns whether the task must be cancelled.
  package mutating func keep(_ task: RunTask, ofRun number: UInt64) -> Bool {
    guard run == number else { return false }
    runTask = task
    return flags.contains(.runIsCancelled)
  }

  /// Marks the run under way as cancelled. Returns its task, unless it isn't known yet.
  package mutating func cancelRun() -> RunTask? {
    if isRunning { flags.insert(.runIsCancelled) }
    return runTask
  }

  /// Ends the run under way. Returns whether its task was cancelled or is about to be.
  package mutating func endRun() -> Bool {
    let isCancelled = flags.contains(.runIsCancelled)
    flags.subtract([.isRunning, .runIsCancelled])
    // The task itself calls this, so this doesn't release its last reference.
    runTask = nil
    return isCancelled
  }

  // MARK: The action

  /// The last error the action threw.
  var failure: (any Error)? { consumers?.runs.failure }
  var failureCount: Int { consumers?.runs.failureCount ?? 0 }

  /// Returns the action, which `attributes` has if it is more than a closure. Nil once the timer has finished.
  func action(_ attributes: TimerAttributes?) -> TimerAction? {
    if let plainAction { return TimerAction(plainAction) }
    return hasAction ? attributes?.ownedAction.map { TimerAction($0) } : nil
  }

  var actionCursor: TickCursor? {
    guard hasAction else { return nil }
    return consumers?.runs.cursor ?? (flags.contains(.actionHasTakenFirstTick) ? .afterFirst : .start)
  }

  /// Takes a tick for the task of the action.
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

  /// Keeps the action's error, and returns its previous one.
  package mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    makeConsumers().runs.fail(error, counting: counting)
  }
}
