/// A run of an action, and its place among those that its driver tracks.
struct TrackedRun: Sendable {
  let run: ActionRun
  let tracker: TaskTracker
  let place: TaskTracker.Place

  /// Whether the run has yet to end. Tasks that it has made may outlive it.
  var isUnderWay: Bool { tracker.isRunning(self) }
}

extension TrackedRun: Hashable {
  // A timer's identifier is unique in the process, and a run's number within its timer.
  static func == (left: TrackedRun, right: TrackedRun) -> Bool {
    left.run.number == right.run.number && left.run.timer == right.run.timer
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(run.timer)
    hasher.combine(run.number)
  }
}
