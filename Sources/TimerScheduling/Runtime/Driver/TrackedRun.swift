import Synchronization

/// A run of an action that its driver tracks. There is one object for a run.
final class TrackedRun: Sendable {
  let run: ActionRun
  /// Identifies its tracker, which isn't held: tasks that the run makes hold the run, and may outlive the driver.
  let tracker: ObjectIdentifier
  private let hasEnded = Atomic<Bool>(false)
  // For its timer, under the lock of that.
  @safe nonisolated(unsafe) private var task: RunTask?
  /// Whether the task is to be cancelled once its handle is here.
  @safe nonisolated(unsafe) private var isToBeCancelled = false

  init(_ run: ActionRun, tracker: TaskTracker) {
    self.run = run
    self.tracker = ObjectIdentifier(tracker)
  }

  /// Whether the run has yet to end. Tasks that it has made may outlive it.
  var isUnderWay: Bool { !hasEnded.load(ordering: .sequentiallyConsistent) }

  /// For ``TaskTracker``.
  func end() { hasEnded.store(true, ordering: .sequentiallyConsistent) }

  // MARK: The task

  /// Keeps the handle of the run's task. Returns true if the task is to be cancelled.
  func keep(_ task: RunTask) -> Bool {
    self.task = task
    return isToBeCancelled
  }

  /// Returns the task that is to be cancelled, or has it cancelled when its handle comes.
  func cancel() -> RunTask? {
    isToBeCancelled = true
    return task
  }

  /// Gives up the task, as the run has ended. Returns whether it was cancelled, or is about to be.
  func giveUpTask() -> Bool {
    // The task itself calls this, so this isn't its last reference.
    task = nil
    return isToBeCancelled
  }
}

extension TrackedRun: Hashable {
  static func == (left: TrackedRun, right: TrackedRun) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
