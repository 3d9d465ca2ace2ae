import Synchronization

/// The runs of a driver's actions and its background work: how many are under way, and the tasks that wait
/// for them. Counting takes no lock while no task waits.
package final class RunTracker: Sendable {
  package typealias Counts = (runs: Int, work: Int)

  private static let run: UInt64 = 1 << 32
  private static let work: UInt64 = 1

  private let virtual: (any VirtualTasks)?
  /// Both numbers in one word, so that they are read at the same moment.
  private let word = Atomic<UInt64>(0)
  /// The number of timers that have finished while one of their runs is still under way.
  let outlivedCount = Atomic<Int>(0)
  /// Tasks outside runs that wait until nothing is under way.
  private let waiters: Waiters<Void>
  /// The number of tasks inside runs that wait for the same, or are about to.
  private let insideCount = Atomic<Int>(0)

  init(in virtual: (any VirtualTasks)?) {
    self.virtual = virtual
    waiters = Waiters(in: virtual)
  }

  private func add(_ change: UInt64) { word.add(change, ordering: .sequentiallyConsistent) }
  private func subtract(_ change: UInt64) { word.subtract(change, ordering: .sequentiallyConsistent) }

  private var counts: Counts {
    let word = word.load(ordering: .sequentiallyConsistent)
    return (Int(word >> 32), Int(word & 0xFFFF_FFFF))
  }

  var runningCount: Int { counts.runs }

  // `runBegan`, `runEnded` and `beginWork` may be called under the lock of a timer. The other two resume
  // tasks.

  func runBegan() { add(Self.run) }

  /// Ends a run, and counts its end unless it `isFollowed` by the timer's next run in the same step. Then the
  /// caller calls ``resumeWaits(after:isReleasing:)``. With `isReleasing` it releases the timer's values
  /// before, and waiting tasks wait for that, too.
  func runEnded(_ run: Run, isFollowed: Bool, isReleasing: Bool) {
    run.hasEnded.store(true, ordering: .sequentiallyConsistent)
    if isFollowed { return }
    if isReleasing { add(Self.work) }
    subtract(Self.run)
  }

  func resumeWaits(after ended: Run, isReleasing: Bool) {
    // The run's tasks go on waiting like tasks outside runs.
    if ended.hasWaited.load(ordering: .sequentiallyConsistent) { Self.graph.withLock { $0.runEnded(ended) } }
    if isReleasing { subtract(Self.work) }
    resumeWaiters()
  }

  /// Counts work that is about to call or release user code.
  func beginWork() { add(Self.work) }

  func endWork() {
    subtract(Self.work)
    resumeWaiters()
  }
}

extension RunTracker {
  typealias Graph = RunWaitGraph<Run, WaitingTask>

  /// Guards the waits inside runs, in the whole process. While it is held, locks of timers are taken, one at
  /// a time.
  private static let graph = Lock(Graph())

  /// Waits until nothing is under way or, inside a run, as long as ``RunWaitGraph`` says.
  func waitUntilQuiet() async {
    guard let run = Run.current, run.isUnderWay else { return await waitOutside() }
    var isOutside = false
    insideCount.add(1, ordering: .sequentiallyConsistent)
    await WaitingTask.suspend(for: .work, in: virtual) { task in
      let waits = Self.begin(in: run) { $0.begin(task, forAllOf: ObjectIdentifier(self), counts, in: run) }
      isOutside = waits == nil
      return waits ?? false
    }
    insideCount.subtract(1, ordering: .relaxed)
    if isOutside { await waitOutside() }
  }

  private func waitOutside() async { await waiters.wait { counts == (0, 0) ? nil : () } }

  private func resumeWaiters() {
    if counts == (0, 0) { waiters.resume { _ in counts == (0, 0) } }
    guard insideCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let over = Self.graph.withLock { $0.takeOver(ObjectIdentifier(self), counts) }
    for task in over { task.resume() }
  }

  /// Calls `wait` with a function that begins the wait of the run to which the current task belongs, if any.
  /// The function returns false if the wait would last for ever.
  static func wait(for target: Graph.Target, _ wait: (_ begins: () -> Bool) async -> Void) async {
    guard let run = Run.current else { return await wait { true } }
    var isNoted = false
    await wait {
      let begins = begin(in: run) { $0.begin(target, in: run) }
      isNoted = begins == true
      return begins ?? true
    }
    if isNoted { graph.withLock { $0.end(target, in: run) } }
  }

  private static func begin(in run: Run, _ begin: (inout Graph) -> Bool) -> Bool? {
    // Noted first, so that a run that ends from now on takes the lock, and removes the wait added below.
    run.hasWaited.store(true, ordering: .sequentiallyConsistent)
    return graph.withLock { run.isUnderWay ? begin(&$0) : nil }
  }
}
