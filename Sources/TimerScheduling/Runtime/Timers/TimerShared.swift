/// The state of a timer under its lock: its machine, its listeners and its runs.
///
/// After a change, ``takeEffects(since:_:sparing:)`` returns the work to be done outside the lock.
///
/// Every word counts here: the GNU C library frees an entry of up to 120 bytes without a lock. For larger ones,
/// threads contend for the lock of its allocator.
package struct TimerShared: ~Copyable {
  /// What the timer has of its consumers: the task of the action's run or, without an action, the listeners. In one
  /// word, as every word counts here.
  enum Activity {
    case none
    /// The task of the run under way, once it is known.
    case run(Task<Void, Never>)
    /// The listener that joined first.
    case listener(Reference)

    struct Reference {
      @safe unowned(unsafe) let listener: Listener
    }
  }

  package var machine: TimerStateMachine
  /// The action, if it is a closure and the timer has not finished.
  var plainAction: TimerAction.Plain?
  var activity = Activity.none
  let onError: ActionErrorBehavior
  var flags: Flags
  var handleCount: UInt32 = 0
  /// The timer's place or, once it has ended, its last place.
  private(set) var lastPlace: Filing.Place?

  /// Stored in a byte, as every byte counts here.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let hasAction = Flags(rawValue: 1)
    static let hasBegun = Flags(rawValue: 2)
    static let isReleasing = Flags(rawValue: 4)
    static let hasPlace = Flags(rawValue: 8)
    static let firstRunHasBegun = Flags(rawValue: 16)
    static let isRunning = Flags(rawValue: 32)
    /// The task of the run was cancelled, or will be once it is known.
    static let runIsCancelled = Flags(rawValue: 64)
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
  var place: Filing.Place? {
    get { flags.contains(.hasPlace) ? lastPlace : nil }
    set {
      if newValue == nil { flags.remove(.hasPlace) } else { flags.insert(.hasPlace) }
      lastPlace = newValue ?? lastPlace
    }
  }

  /// Notes that the timer begins, by being filed or through an earlier change. Returns false if it had already begun.
  mutating func begin() -> Bool {
    flags.insert(.hasBegun).inserted
  }

  var hasAction: Bool { flags.contains(.hasAction) }

  /// Returns the action, which `attributes` has if it is more than a closure. Nil once the timer has finished.
  func action(_ attributes: TimerAttributes?) -> TimerAction? {
    if let plainAction { return TimerAction(plainAction) }
    return hasAction ? attributes?.actionObject.map { TimerAction($0) } : nil
  }

  /// Counts and keeps the action's error, and returns its previous one.
  package mutating func fail(_ error: any Error) -> (any Error)? {
    let extras = machine.makeExtras()
    defer { extras.failure = error }
    extras.failureCount += 1
    return extras.failure
  }

  /// Whether a run of the action is under way, or its task is about to begin.
  package var isRunning: Bool { flags.contains(.isRunning) }

  package var run: UInt64? { isRunning ? runCount : nil }

  private var runCount: UInt64 { (flags.contains(.firstRunHasBegun) ? 1 : 0) + machine.laterRunCount }

  package mutating func beginRun() -> UInt64 {
    flags.insert(.isRunning)
    if !flags.insert(.firstRunHasBegun).inserted { machine.makeExtras().laterRunCount += 1 }
    return runCount
  }

  /// Keeps the task of the run with `number`, if it is under way. Returns whether the task must be cancelled.
  package mutating func keep(_ task: Task<Void, Never>, ofRun number: UInt64) -> Bool {
    guard run == number else { return false }
    activity = .run(task)
    return flags.contains(.runIsCancelled)
  }

  /// Marks the run under way as cancelled. Returns its task, unless it isn't known yet.
  package mutating func cancelRun() -> Task<Void, Never>? {
    if isRunning { flags.insert(.runIsCancelled) }
    if case .run(let task) = activity { return task }
    return nil
  }

  /// Ends the run under way. Returns whether its task was cancelled or is about to be.
  package mutating func endRun() -> Bool {
    let isCancelled = flags.contains(.runIsCancelled)
    flags.subtract([.isRunning, .runIsCancelled])
    // The task itself calls this, so this doesn't release its last reference.
    activity = .none
    return isCancelled
  }
}
