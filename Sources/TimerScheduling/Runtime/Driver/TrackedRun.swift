import Synchronization

/// A run of an action, tracked by its driver. There is one object for each run, made where the run begins.
final class TrackedRun: Sendable {
  let run: ActionRun
  /// Identifies its tracker without holding it: tasks that the run creates hold the run, and may outlive the driver.
  let tracker: ObjectIdentifier
  private let hasEnded = Atomic<Bool>(false)

  init(_ run: ActionRun, tracker: TaskTracker) {
    self.run = run
    self.tracker = ObjectIdentifier(tracker)
  }

  /// Whether the run hasn't ended. Tasks that it has created may outlive it.
  var isUnderWay: Bool { !hasEnded.load(ordering: .sequentiallyConsistent) }

  /// Marks the run as ended. Only ``TaskTracker`` calls it.
  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }
}

extension TrackedRun: Hashable {
  static func == (left: TrackedRun, right: TrackedRun) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
