import Synchronization

/// A run of an action, tracked by its driver. There is one object for each run, made where the run begins.
final class TrackedRun: WaitingRun {
  let run: ActionRun
  /// Identifies its tracker without holding it: tasks that the run creates hold the run, and may outlive the driver.
  let tracker: ObjectIdentifier
  private let hasEnded = Atomic<Bool>(false)
  private let hasBegunToWait = Atomic<Bool>(false)

  init(_ run: ActionRun, tracker: TaskTracker) {
    self.run = run
    self.tracker = ObjectIdentifier(tracker)
  }

  /// Whether the run hasn't ended. Tasks that it has created may outlive it.
  var isUnderWay: Bool { !hasEnded.load(ordering: .sequentiallyConsistent) }

  /// Marks the run as ended. Only ``TaskTracker`` calls it.
  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }

  /// Whether a task of the run has waited for runs or timers.
  var hasWaited: Bool { hasBegunToWait.load(ordering: .sequentiallyConsistent) }

  func noteWait() { hasBegunToWait.store(true, ordering: .sequentiallyConsistent) }

  var key: RunKey { RunKey(timer: run.timer.number, number: run.number) }
}
