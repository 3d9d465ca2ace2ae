/// The tasks of a driver that run or hold the user's code: runs of actions, and work in the background.
final class TaskTracker: Sendable {
  /// The place of a run in the tracker, until it has ended.
  typealias Place = Int

  fileprivate struct Waiter {
    /// The runs under way that aren't waited for: the one that waits itself, and runs that wait for it.
    var exempt: Set<TrackedRun>
    let consumer: WaitingConsumer
  }

  private struct State {
    /// By place; nil where it is free.
    private var runs: [(run: TrackedRun, entry: TimerEntry)?] = []
    private var free: [Place] = []
    private var waiters: [Waiter] = []
    var workCount = 0

    var entries: [TimerEntry] { runs.compactMap { $0?.entry } }
    var runningCount: Int { runs.count - free.count }

    func isRunning(_ run: TrackedRun) -> Bool {
      run.place < runs.count && runs[run.place]?.run == run
    }

    mutating func enter(_ entry: TimerEntry, _ makeRun: (Place) -> TrackedRun) -> TrackedRun {
      let place = free.popLast() ?? runs.count
      let run = makeRun(place)
      if place == runs.count { runs.append((run, entry)) } else { runs[place] = (run, entry) }
      return run
    }

    mutating func leave(_ run: TrackedRun) {
      runs[run.place] = nil
      free.append(run.place)
      // A task that has outlived its run waits like any other.
      for index in waiters.indices { waiters[index].exempt.remove(run) }
      // Gives memory back once many runs have ended.
      if runningCount == 0, runs.count > 4096 { (runs, free) = ([], []) }
    }

    mutating func add(_ consumer: WaitingConsumer, exempting runs: [TrackedRun]) {
      waiters.append(Waiter(exempt: Set(runs.filter { isRunning($0) }), consumer: consumer))
    }

    /// Takes out the waiters for which nothing is under way but runs that they don't wait for.
    mutating func takeWaiters() -> [Waiter] {
      guard !waiters.isEmpty, workCount == 0 else { return [] }
      let runningCount = runningCount
      let isOver = { (waiter: Waiter) in runningCount == waiter.exempt.count }
      let over = waiters.filter(isOver)
      waiters.removeAll(where: isOver)
      return over
    }
  }

  private let monitor: (any ConsumerMonitor)?
  /// Guards what is under way, and the tasks that wait for its end.
  private let state = Lock(State())

  init(noting monitor: (any ConsumerMonitor)?) {
    self.monitor = monitor
  }

  // MARK: Runs of actions

  /// A run is about to begin. May be called under the lock of its timer.
  func begin(_ run: ActionRun, of entry: TimerEntry) -> TrackedRun {
    state.withLock { state in
      state.enter(entry) { TrackedRun(run: run, tracker: self, place: $0) }
    }
  }

  /// A run that has ended, and the tasks to be resumed for it.
  struct EndedRun: Sendable {
    fileprivate let run: TrackedRun
    fileprivate let waiters: [Waiter]
    /// Whether the end of the run counts as work until values are released.
    fileprivate let isReleasing: Bool
  }

  /// A run has ended. With `next`, the timer's next run begins in the same step. With `isReleasing`, the caller is going
  /// to release what the timer held, and other tasks wait for that, too.
  ///
  /// May be called under the lock of its timer. Outside it, ``finish(_:)`` is to follow.
  func end(
    _ run: TrackedRun, beginning next: ActionRun?, on isolation: (any Actor)?, of entry: TimerEntry,
    isReleasing: Bool
  ) -> FollowUp.Runs {
    state.withLock { state in
      state.leave(run)
      if isReleasing { state.workCount += 1 }
      let next = next.map { next in state.enter(entry) { TrackedRun(run: next, tracker: self, place: $0) } }
      let ended = EndedRun(run: run, waiters: state.takeWaiters(), isReleasing: isReleasing)
      return FollowUp.Runs(next: next, on: isolation, ended: ended)
    }
  }

  /// Resumes the tasks that have waited for a run's end.
  func finish(_ ended: EndedRun) {
    RunWaits.shared.runEnded(ended.run)
    for waiter in ended.waiters { waiter.consumer.resume(noting: monitor) }
    if ended.isReleasing { workEnded() }
  }

  func isRunning(_ run: TrackedRun) -> Bool {
    state.withLock { $0.isRunning(run) }
  }

  var runningCount: Int { state.withLock(\.runningCount) }

  func cancelAll() {
    for entry in state.withLock(\.entries) { entry.cancelAction() }
  }

  // MARK: Work in the background

  /// Something of the user's is about to be called or released in the background.
  func beginWork() {
    monitor?.noteWorkBegan()
    state.withLock { $0.workCount += 1 }
  }

  func endWork() {
    workEnded()
    monitor?.noteWorkEnded()
  }

  private func workEnded() {
    let waiters = state.withLock { state in
      state.workCount -= 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.consumer.resume(noting: monitor) }
  }

  // MARK: Waiting

  /// Waits until nothing is under way.
  ///
  /// From inside a run it doesn't wait for that run, nor for runs that themselves wait for it.
  func waitUntilQuiet() async {
    let wait = RunWaits.shared.begin(for: .all(of: self))
    let exempt = wait.map { [$0.run] + $0.waitingForIt } ?? []
    await WaitingConsumer.suspend(noting: monitor) { consumer in
      let over = state.withLock { state in
        state.add(consumer, exempting: exempt.filter { $0.tracker === self })
        return state.takeWaiters()
      }
      for waiter in over { waiter.consumer.resume(noting: monitor) }
      return true
    }
    if let wait { RunWaits.shared.end(wait) }
  }
}
