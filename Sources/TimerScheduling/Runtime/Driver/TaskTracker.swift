import Synchronization

/// A count of a driver's tasks that run or hold user code: runs of actions, and background work.
///
/// Counting takes no lock. A task that waits for the others takes one, and so does each task that ends while one
/// waits.
final class TaskTracker: Sendable {
  /// The numbers of runs and of background work, in one word so that both are read at the same moment.
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
  /// Tasks that wait until nothing is under way, each with the runs it doesn't wait for: the run it is in, and runs
  /// that wait for that one.
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

  /// The number of timers that have finished while one of their runs is still under way.
  var outlivedCount: Int { outlivingCount.load(ordering: .relaxed) }

  /// Counts a run that is about to begin. May be called under the lock of its timer.
  func runBegan() { add(Counts.run) }

  /// Ends a run, and counts its end unless it `isFollowed` by the timer's next run in the same step. May be called
  /// under the lock of the timer. The caller then calls ``finish(_:isReleasing:)`` without that lock.
  ///
  /// With `isReleasing`, the caller is about to release the timer's values, and waiting tasks wait for that, too.
  func end(_ run: TrackedRun, isFollowed: Bool, isReleasing: Bool) {
    run.end()
    if isFollowed { return }
    if isReleasing { add(Counts.work) }
    subtract(Counts.run)
  }

  /// Resumes the tasks that have waited for the end of a run.
  func finish(_ ended: TrackedRun, isReleasing: Bool) {
    RunWaits.shared.runEnded(ended)
    if isReleasing { subtract(Counts.work) }
    resumeWaiters(after: ended)
  }

  /// Counts a run whose timer has finished before it.
  func runIsOutliving() { outlivingCount.add(1, ordering: .relaxed) }

  func outlivingRunEnded() { outlivingCount.subtract(1, ordering: .relaxed) }

  // MARK: Work in the background

  /// Counts background work that is about to call or release user code.
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
  /// Called from inside a run, this waits neither for that run nor for runs that wait for it.
  func waitUntilQuiet() async {
    let wait = RunWaits.shared.begin(for: .all(of: self))
    let exempt = wait.map { [$0.run] + $0.waitingForIt } ?? []
    await waiters.wait {
      // Runs that end from now on are removed from the set.
      let exempt = Set(exempt.filter { $0.tracker == ObjectIdentifier(self) && $0.isUnderWay })
      return isQuiet(but: exempt) ? nil : exempt
    }
    if let wait { RunWaits.shared.end(wait) }
  }

  /// Resumes the tasks for which only runs are under way that they don't wait for.
  private func resumeWaiters(after ended: TrackedRun? = nil) {
    waiters.resume { exempt in
      // A task that has outlived its run waits like any other.
      if let ended { exempt.remove(ended) }
      return isQuiet(but: exempt)
    }
  }

  /// Resumes all waiting tasks, whatever is under way. A test's clock does so when it fails the test.
  func giveUpWaits() { waiters.resume { _ in true } }

  private func isQuiet(but exempt: Set<TrackedRun>) -> Bool {
    let counts = current
    return counts.work == 0 && counts.runs == exempt.count
  }
}
