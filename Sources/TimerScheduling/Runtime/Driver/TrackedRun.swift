import Synchronization

/// A run of an action that its driver tracks. There is one object for a run, made where the run begins.
final class TrackedRun: Sendable {
  let run: ActionRun
  /// Identifies its tracker, which isn't held: tasks that the run makes hold the run, and may outlive the driver.
  let tracker: ObjectIdentifier
  private let hasEnded = Atomic<Bool>(false)

  init(_ run: ActionRun, tracker: TaskTracker) {
    self.run = run
    self.tracker = ObjectIdentifier(tracker)
  }

  /// Whether the run has yet to end. Tasks that it has made may outlive it.
  var isUnderWay: Bool { !hasEnded.load(ordering: .sequentiallyConsistent) }

  /// For ``TaskTracker``.
  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }
}

extension TrackedRun: Hashable {
  static func == (left: TrackedRun, right: TrackedRun) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
