import Synchronization

/// Waits for runs, for all of a tracker or one at a time.
///
/// A wait inside a run is over when its target has ended, or when everything of the target that is still under way
/// waits for this run, directly or through others. ``RunWaitGraph`` decides that.
extension RunTracker {
  typealias Graph = RunWaitGraph<Run, WaitingTask>

  /// Guards the waits inside runs, in the whole process. Only such waits take it, ends of runs that have waited, and
  /// ends of runs that others wait for. While it is held, locks of timers are taken, one at a time.
  private static let graph = Lock(Graph())

  // MARK: Waits for everything

  /// Waits until nothing is under way. Called from inside a run, it waits as long as ``RunWaitGraph`` says.
  func waitUntilQuiet() async {
    guard let run = Run.current, run.isUnderWay else { return await waitOutside() }
    var isOutside = false
    insideCount.add(1, ordering: .sequentiallyConsistent)
    await WaitingTask.suspend(noting: monitor) { task in
      let waits = Self.begin(in: run) { $0.begin(task, forAllOf: ObjectIdentifier(self), counts, in: run) }
      isOutside = waits == nil
      return waits ?? false
    }
    insideCount.subtract(1, ordering: .relaxed)
    if isOutside { await waitOutside() }
  }

  private func waitOutside() async {
    await waiters.wait { counts.areZero ? nil : () }
  }

  /// Resumes all tasks outside runs that wait, whatever is under way. A test's clock does so when it fails the test.
  func giveUpWaits() { waiters.resumeFirst { _ in true } }

  /// Resumes the tasks whose wait is over.
  func resumeWaiters() {
    if counts.areZero { waiters.resumeFirst { _ in counts.areZero } }
    guard insideCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let over = Self.graph.withLock { $0.takeOver(ObjectIdentifier(self), counts) }
    for task in over { task.resume(noting: monitor) }
  }

  // MARK: Waits for one run or timer

  /// Calls `wait`, unless the current task belongs to a run and the wait would last for ever.
  static func wait(for target: Graph.Target, _ wait: () async -> Void) async {
    guard let run = Run.current else { return await wait() }
    guard let begins = begin(in: run, { $0.begin(target, in: run) }) else { return await wait() }
    guard begins else { return }
    await wait()
    graph.withLock { $0.end(target, in: run) }
  }

  /// Calls `begin` with the graph, and returns its result. Returns nil if the run has ended.
  private static func begin(in run: Run, _ begin: (inout Graph) -> Bool) -> Bool? {
    // Noted first, so that a run that ends from now on takes the lock, and removes the wait added below.
    run.noteWait()
    return graph.withLock { run.isUnderWay ? begin(&$0) : nil }
  }

  /// Removes the waits of a run that has ended. Its tasks go on waiting like tasks outside runs.
  static func removeWaits(of run: Run) {
    if run.hasWaited { graph.withLock { $0.runEnded(run) } }
  }
}
