/// The runs of a timer's action.
extension TimerShared {
  /// Whether a run of the action is under way, or its task is about to begin.
  package var isRunning: Bool { flags.contains(.isRunning) }

  /// The number of the run under way.
  package var run: UInt64? { isRunning ? runCount : nil }

  /// The number of runs begun so far.
  private var runCount: UInt64 { (flags.contains(.firstRunHasBegun) ? 1 : 0) + machine.laterRunCount }

  /// The task of the run under way, once it is known.
  private var runTask: Task<Void, Never>? {
    switch activity {
    case .run(let task): task
    case .none, .waiting: nil
    }
  }

  /// Begins a run, and returns its number.
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
    return runTask
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
