/// The waits inside running actions, in the whole process.
///
/// A wait inside a run is over when its target has ended, or when everything of the target that is still under way
/// waits for this run, directly or through others. ``RunWaitGraph`` decides that.
struct RunWaits: ~Copyable, Sendable {
  typealias Graph = RunWaitGraph<TrackedRun, WaitingTask>

  static let shared = RunWaits()

  /// Guards the graph. Only waits inside runs take it, ends of runs that have waited, and ends of runs that others wait
  /// for. While it is held, locks of timers are taken, one at a time.
  private let graph = Lock(Graph())

  /// Calls `wait`, unless the current task belongs to a run and the wait would last for ever.
  func wait(for target: Graph.Target, _ wait: () async -> Void) async {
    guard let run = ActionRun.bound else { return await wait() }
    guard let begins = begin(in: run, { $0.begin(target, in: run) }) else { return await wait() }
    guard begins else { return }
    await wait()
    graph.withLock { $0.end(target, in: run) }
  }

  /// Adds a task of `run` that waits for all runs of a tracker. Returns false if the wait is over, and nil if the run
  /// has ended.
  func begin(_ task: WaitingTask, forAllOf tracker: TaskTracker, in run: TrackedRun) -> Bool? {
    begin(in: run) { $0.begin(task, forAllOf: ObjectIdentifier(tracker), tracker.counts, in: run) }
  }

  private func begin(in run: TrackedRun, _ begin: (inout Graph) -> Bool) -> Bool? {
    // Noted first, so that a run that ends from now on takes the lock, and removes the wait added below.
    run.noteWait()
    return graph.withLock { run.isUnderWay ? begin(&$0) : nil }
  }

  /// Removes and returns the tasks whose wait for all runs of a tracker is over.
  func takeOver(_ tracker: TaskTracker) -> [WaitingTask] {
    graph.withLock { $0.takeOver(ObjectIdentifier(tracker), tracker.counts) }
  }

  /// Removes the waits of a run that has ended. Its tasks go on waiting like tasks outside runs.
  func runEnded(_ run: TrackedRun) {
    if run.hasWaited { graph.withLock { $0.runEnded(run) } }
  }
}
