import Synchronization

/// A run of an action that its driver tracks. There is one object for a run.
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

  fileprivate func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }
}

extension TrackedRun: Hashable {
  static func == (left: TrackedRun, right: TrackedRun) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension TaskTracker {
  /// A run has ended and, with `next`, the timer's next run begins in the same step. May be called under the lock of the
  /// timer. Outside it, ``finish(_:isReleasing:)`` is to follow.
  ///
  /// With `isReleasing`, the caller is going to release what the timer held, and tasks that wait wait for that, too.
  func end(_ run: TrackedRun, beginning next: TrackedRun?, isReleasing: Bool) {
    run.end()
    if next == nil { runEnded(isReleasing: isReleasing) }
  }
}
