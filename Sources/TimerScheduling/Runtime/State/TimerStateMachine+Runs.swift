/// The runs of the action. They don't overlap.
extension TimerStateMachine {
  /// Stored in a byte, as every byte counts here.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The stream has given a tick to a task that may not have suspended since then.
    static let hasTaken = Flags(rawValue: 1)
    static let hasBegun = Flags(rawValue: 2)
    static let isReleasing = Flags(rawValue: 4)
    static let hasPlace = Flags(rawValue: 8)
    static let firstRunHasBegun = Flags(rawValue: 16)
    static let isRunning = Flags(rawValue: 32)
    /// The task of the run was cancelled, or will be once it is known.
    static let runIsCancelled = Flags(rawValue: 64)
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

  /// Notes that the timer begins, by being filed or through an earlier change. Returns false if it had
  /// already begun.
  mutating func begin() -> Bool { flags.insert(.hasBegun).inserted }

  var hasAction: Bool { if case .action = consumer { true } else { false } }

  /// Returns the action, which is `owned` if it is more than a closure. Nil once the timer has finished.
  func action(_ owned: ActionObject?) -> TimerAction? {
    if case .action(let plain?) = consumer { TimerAction(plain) } else { owned.map { TimerAction($0) } }
  }

  /// Counts and keeps the action's error, and returns its previous one.
  package mutating func fail(_ failure: ActionFailure) -> ActionFailure? {
    let extras = makeExtras()
    defer { extras.failure = failure }
    extras.failureCount += 1
    return extras.failure
  }

  /// Whether a run of the action is under way, or its task is about to begin.
  package var isRunning: Bool { flags.contains(.isRunning) }

  package var run: UInt64? { isRunning ? runCount : nil }

  private var runCount: UInt64 { (flags.contains(.firstRunHasBegun) ? 1 : 0) + laterRunCount }

  package mutating func beginRun() -> UInt64 {
    flags.insert(.isRunning)
    if !flags.insert(.firstRunHasBegun).inserted { makeExtras().laterRunCount += 1 }
    return runCount
  }

  /// Keeps the task of the run with `number`, if it is under way. Returns whether the task must be cancelled.
  package mutating func keep(_ task: Task<Void, Never>, ofRun number: UInt64) -> Bool {
    guard run == number else { return false }
    runTask = task
    return flags.contains(.runIsCancelled)
  }

  /// Marks the run under way as cancelled. Returns its task, unless it isn't known yet.
  package mutating func cancelRun() -> Task<Void, Never>? {
    if isRunning { flags.insert(.runIsCancelled) }
    return runTask
  }

  /// Returns whether the run under way may call its action for the tick that it took when the action's cursor
  /// was `cursor`. It may not once the timer has ended or has another schedule. A paused timer gets the tick
  /// back.
  package mutating func confirmTick(takenAt cursor: TickCursor) -> Bool {
    let isCurrent = ledger.holdsTick(before: self.cursor)
    switch state {
    case .armed, .dormant, .asking, .last: return isCurrent
    case .paused: if isCurrent { extras?.cursor = cursor }
    case .completed, .finished: break
    }
    return false
  }

  /// Ends the run under way. Returns whether its task was cancelled or is about to be.
  package mutating func endRun() -> Bool {
    let isCancelled = flags.contains(.runIsCancelled)
    flags.subtract([.isRunning, .runIsCancelled])
    // The task itself calls this, so this doesn't release its last reference.
    runTask = nil
    return isCancelled
  }
}
