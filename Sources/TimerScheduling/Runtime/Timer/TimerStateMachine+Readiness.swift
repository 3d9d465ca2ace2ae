extension TimerStateMachine {
  /// The state that decides which listeners have to wait for a tick. While it is the same, no waiting listener has
  /// anything to take.
  ///
  /// A tick that another listener takes isn't part of it, as that never makes a tick for those that wait.
  struct Readiness: Equatable {
    enum Phase { case ticking, dormant, interrupted, over }

    let phase: Phase
    let passed: Int64
    let withdrawn: Int64
    let indexLimit: Int64
    /// In a burst, a tick that nobody takes any more gives its index, below the limit, to the next.
    let missed: Int64
    let missedTicks: MissedTickBehavior
  }

  var readiness: Readiness {
    let phase: Readiness.Phase =
      switch state {
      case .armed, .last: .ticking
      case .dormant: .dormant
      case .consulting, .paused: .interrupted
      case .completed, .finished: .over
      }
    let (passed, withdrawn) = ledger.progress
    return Readiness(
      phase: phase, passed: passed, withdrawn: withdrawn, indexLimit: indexLimit,
      missed: missedTicks == .burst ? ledger.totalMissedCount : 0, missedTicks: missedTicks)
  }

  /// Whether the timer completes as soon as no listener is owed a tick and no action runs.
  var isEnding: Bool {
    switch state {
    case .last, .paused(.last): true
    case .armed, .dormant, .consulting, .paused, .completed, .finished: false
    }
  }
}
