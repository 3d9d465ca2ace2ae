/// The state of a timer under its lock, shared by its scheduler, its listeners, its action and its handles.
///
/// A change is made to the machine, the listeners or the runs. Then ``effects(since:_:sparing:)`` returns the work to
/// be done outside the lock.
///
/// The timer's first consumer is its action or, without one, its first listener. The state of that consumer is kept
/// here; all other listeners are in the machine's ``TimerExtras``.
///
/// Every word counts here: the GNU C library frees an entry of up to 120 bytes without a lock. For larger ones,
/// threads contend for the lock of its allocator.
package struct TimerShared: ~Copyable {
  /// The condition, besides its schedule, on which a timer ends.
  enum Lifetime: Sendable {
    /// Ends with its first listener.
    case stream
    /// Ends when there is neither a handle nor a listener.
    case handles
    /// Ends only by a call.
    case own
  }

  /// The run or the wait of the first consumer, while there is one.
  enum Activity {
    case none
    /// The task of the action's run, once it is known.
    case run(Task<Void, Never>)
    /// The first listener waits.
    case waiting(WaitingTask)
  }

  package var machine: TimerStateMachine
  /// The action, if it is a closure and the timer has not finished.
  var plainAction: TimerAction.Plain?
  var activity = Activity.none
  let onError: ActionErrorBehavior
  var flags: Flags
  /// The number of handles.
  var handleCount: UInt32 = 0
  /// The timer's place or, once it has ended, its last place.
  private(set) var lastPlace: ShardPlace?

  /// Stored in two bytes, as every byte counts here.
  struct Flags: OptionSet {
    let rawValue: UInt16
    static let hasAction = Flags(rawValue: 1)
    /// The timer's beginning was recorded.
    static let hasBegun = Flags(rawValue: 2)
    static let isReleasing = Flags(rawValue: 4)
    static let hasPlace = Flags(rawValue: 8)
    /// The first consumer has taken the first tick.
    static let hasTakenFirstTick = Flags(rawValue: 16)
    /// The first listener has joined, and may have left.
    static let firstHasJoined = Flags(rawValue: 32)
    /// The first listener is there.
    static let firstListens = Flags(rawValue: 64)
    static let firstRunHasBegun = Flags(rawValue: 128)
    static let isRunning = Flags(rawValue: 256)
    /// The task of the run was cancelled, or will be once it is known.
    static let runIsCancelled = Flags(rawValue: 512)
  }

  package init(machine: consuming TimerStateMachine, action: TimerAction?, onError: ActionErrorBehavior) {
    self.machine = machine
    plainAction = action?.plain
    flags = action == nil ? [] : .hasAction
    self.onError = onError
  }

  /// Whether the timer has finished and its values haven't been released yet.
  var isReleasing: Bool {
    get { flags.contains(.isReleasing) }
    set { if newValue { flags.insert(.isReleasing) } else { flags.remove(.isReleasing) } }
  }

  /// The timer's place, from its start to its end.
  var place: ShardPlace? {
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

  /// Notes that the timer begins, by being filed or through an earlier change. Returns false if it had already begun.
  mutating func begin() -> Bool {
    flags.insert(.hasBegun).inserted
  }

  /// The cursor of the first consumer.
  var firstCursor: TickCursor {
    get { max(machine.cursor, flags.contains(.hasTakenFirstTick) ? .afterFirst : .start) }
    set {
      if newValue == .afterFirst {
        flags.insert(.hasTakenFirstTick)
      } else if newValue > .afterFirst {
        machine.makeExtras().cursor = newValue
      }
    }
  }

  // MARK: The action

  var hasAction: Bool { flags.contains(.hasAction) }
  /// The last error the action threw.
  var failure: (any Error)? { machine.failure }
  var failureCount: Int { machine.failureCount }

  /// Returns the action, which `attributes` has if it is more than a closure. Nil once the timer has finished.
  func action(_ attributes: TimerAttributes?) -> TimerAction? {
    if let plainAction { return TimerAction(plainAction) }
    return hasAction ? attributes?.ownedAction.map { TimerAction($0) } : nil
  }

  package var actionCursor: TickCursor? { hasAction ? firstCursor : nil }

  /// Takes a tick for the task of the action.
  package mutating func takeForAction(at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = actionCursor else { return .finished }
    let taken = machine.take(&cursor, at: now)
    firstCursor = cursor
    return taken
  }

  /// Keeps the action's error, and returns its previous one.
  package mutating func fail(_ error: any Error, counting: Bool) -> (any Error)? {
    let extras = machine.makeExtras()
    defer { extras.failure = error }
    if counting { extras.failureCount += 1 }
    return extras.failure
  }
}
