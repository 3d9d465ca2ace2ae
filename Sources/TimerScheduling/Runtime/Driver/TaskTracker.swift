import Synchronization

/// The tasks of a driver that run or hold the user's code: runs of actions, and work in the background.
///
/// They are counted. A task that waits for them takes a lock, and while one waits, so does a task that ends.
final class TaskTracker: Sendable {
  /// The number of runs, and that of the work, both in one word so that they are read at one moment.
  private struct Counts {
    static let run: UInt64 = 1 << 32
    static let work: UInt64 = 1

    let word: UInt64

    var runs: Int { Int(word >> 32) }
    var work: Int { Int(word & 0xFFFF_FFFF) }
  }

  private let monitor: (any ConsumerMonitor)?
  private let counts = Atomic<UInt64>(0)
  /// The number of runs whose timers have finished.
  private let outlivingCount = Atomic<Int>(0)
  /// Tasks that wait until nothing is under way, with the runs that they don't wait for: the one that waits itself, and
  /// runs that wait for it.
  private let waiters: Waiters<Set<TrackedRun>>

  init(noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
    waiters = Waiters(noting: monitor)
  }

  private func add(_ change: UInt64) { counts.add(change, ordering: .sequentiallyConsistent) }

  private func subtract(_ change: UInt64) { counts.subtract(change, ordering: .sequentiallyConsistent) }

  private var current: Counts { Counts(word: counts.load(ordering: .sequentiallyConsistent)) }

  // MARK: Runs of actions

  var runningCount: Int { current.runs }

  /// The number of timers that have finished while a run of theirs is still under way.
  var outlivedCount: Int { outlivingCount.load(ordering: .relaxed) }

  /// A run is about to begin. May be called under the lock of its timer.
  func runBegan() { add(Counts.run) }

  /// A run has ended and, if it `isFollowed`, the timer's next run begins in the same step. May be called under the lock of
  /// the timer. Outside it, ``finish(_:isReleasing:)`` is to follow.
  ///
  /// With `isReleasing`, the caller is going to release what the timer held, and tasks that wait wait for that, too.
  func end(_ run: TrackedRun, isFollowed: Bool, isReleasing: Bool) {
    run.end()
    if isFollowed { return }
    if isReleasing { add(Counts.work) }
    subtract(Counts.run)
  }

  /// Resumes the tasks that have waited for a run's end.
  func finish(_ ended: TrackedRun, isReleasing: Bool) {
    RunWaits.shared.runEnded(ended)
    if isReleasing { subtract(Counts.work) }
    resumeWaiters(after: ended)
  }

  /// The timer of a run has finished before the run has ended.
  func runIsOutliving() { outlivingCount.add(1, ordering: .relaxed) }

  func outlivingRunEnded() { outlivingCount.subtract(1, ordering: .relaxed) }

  // MARK: Work in the background

  /// Something of the user's is about to be called or released in the background.
  func beginWork() {
    monitor?.workBegan()
    add(Counts.work)
  }

  func endWork() {
    subtract(Counts.work)
    resumeWaiters()
    monitor?.workEnded()
  }

  // MARK: Waiting

  /// Waits until nothing is under way.
  ///
  /// From inside a run it doesn't wait for that run, nor for runs that themselves wait for it.
  func waitUntilQuiet() async {
    let wait = RunWaits.shared.begin(for: .all(of: self))
    let exempt = wait.map { [$0.run] + $0.waitingForIt } ?? []
    await waiters.wait {
      // A run that ends from now on is taken out again.
      let exempt = Set(exempt.filter { $0.tracker == ObjectIdentifier(self) && $0.isUnderWay })
      return isQuiet(but: exempt) ? nil : exempt
    }
    if let wait { RunWaits.shared.end(wait) }
  }

  /// Resumes the tasks for which nothing is under way but runs that they don't wait for.
  private func resumeWaiters(after ended: TrackedRun? = nil) {
    waiters.resume { exempt in
      // A task that has outlived its run waits like any other.
      if let ended { exempt.remove(ended) }
      return isQuiet(but: exempt)
    }
  }

  private func isQuiet(but exempt: Set<TrackedRun>) -> Bool {
    let counts = current
    return counts.work == 0 && counts.runs == exempt.count
  }
}
