extension TimerStateMachine {
  /// The part of the state that decides which listeners must wait for a tick. While it is unchanged, no waiting
  /// listener has a tick to take.
  ///
  /// It doesn't include ticks that other listeners take, as taking one never makes a tick for a waiting listener.
  struct Readiness: Equatable {
    enum Phase { case ticking, dormant, interrupted, over }

    let phase: Phase
    let passed: Int64
    let withdrawn: Int64
    let indexLimit: Int64
    /// The number of missed deadlines. In a burst, the index of a tick that no listener will take goes to the next
    /// tick, which may then be below the limit.
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
