import Dispatch

/// Decides what a pool's workers do next, and how many of them there are.
///
/// New runs wait in one queue and resumed jobs in another, which take turns as one queue would let them: the runs
/// together have a place among the jobs. When it is reached, runs begin, and after a turn of 64 runs or 100 µs their
/// place is at the end again.
///
///     jobs   j j j j ▾ j j j
///     runs           r r r r r r …
///
/// The state performs nothing. ``RunnerCore`` keeps it in its lock and does what the methods return.
package struct RunnerState<Work: RunnerWork>: ~Copyable {
  /// What a worker is to do.
  package enum Step {
    /// Run a job.
    case job(UnownedJob)
    /// Resume a waiting runner, or make one if nil. It takes its runs by itself.
    case runner(WaitingTask?)
    /// Resume runners, which end as they find no runs.
    case end([WaitingTask])
    /// End the worker.
    case leave
  }

  private static var turnCount: Int { 64 }
  private static var turnNanoseconds: UInt64 { 100_000 }
  /// Runners that wait for runs while there are jobs. A runner costs more to make than to resume.
  private static var waitingRunnerLimit: Int { 256 }

  private static var fetchCount: Int { 16 }

  private var runs = ChunkedQueue<Work>()
  private var jobs = ChunkedQueue<UnownedJob>()
  private var runners: [WaitingTask] = []
  private var workers: WorkerTable

  /// The runs' place among the jobs: how many jobs are added before it.
  private var runsPlace = 0
  /// The number of runs begun in this turn while jobs waited, and when the first of them began.
  private var turnRunCount = 0
  private var turnStart: UInt64 = 0
  /// The sum of all that ``fetchRuns()`` has read. Without it the compiler would leave out the reads.
  private var fetched: UInt64 = 0

  package init(workers: consuming WorkerTable) {
    self.workers = workers
  }

  var waitingCount: Int { runs.count &+ jobs.count }

  // MARK: Work comes

  package mutating func add(_ work: consuming Work) -> WorkerOrders {
    placeRuns()
    runs.append(work)
    return workers.workAdded(waitingCount: waitingCount)
  }

  package mutating func add(_ work: [Work]) -> WorkerOrders {
    placeRuns()
    runs.append(contentsOf: work)
    return workers.workAdded(waitingCount: waitingCount)
  }

  package mutating func add(_ job: UnownedJob) -> WorkerOrders {
    jobs.append(job)
    return workers.workAdded(waitingCount: waitingCount)
  }

  /// The first run of a queue comes after the jobs that wait already.
  private mutating func placeRuns() {
    guard runs.isEmpty else { return }
    runsPlace = jobs.addedCount
    turnRunCount = 0
  }

  // MARK: Work is taken

  /// A worker has control, and asks what to do.
  package mutating func step(of worker: Int) -> (Step, WorkerOrders) {
    let hasStarted = workers.progressed(worker)
    if workers.isCrowded { return (leave(worker), .none) }
    if beginsRuns() {
      // The runner takes one of those that wait.
      let orders = hasStarted ? workers.more(waitingCount: waitingCount - 1) : .none
      return (.runner(runners.popLast()), orders)
    }
    if let job = jobs.popFirst() {
      return (.job(job), workers.took(on: worker, waitingCount: waitingCount))
    }
    if !runners.isEmpty {
      let ended = runners
      runners = []
      return (.end(ended), .none)
    }
    return (leave(worker), .none)
  }

  /// A runner on `worker` asks for the next run. It gives control back to the worker if there is none.
  package mutating func takeRun(on worker: Int) -> (Work?, WorkerOrders) {
    workers.progressed(worker)
    guard !workers.isCrowded, beginsRuns(), let run = runs.popFirst() else { return (nil, .none) }
    if runs.removedCount % Self.fetchCount == 0 { fetchRuns() }
    if !jobs.isEmpty { turnRunCount += 1 }
    return (run, workers.took(on: worker, waitingCount: waitingCount))
  }

  /// Has the processor fetch what the next runs use first to its cache, side by side. Taken one after the other, each would
  /// be waited for.
  private mutating func fetchRuns() {
    var sum = fetched
    runs.forEachNext(Self.fetchCount) { sum &+= $0.ends }
    fetched = sum
  }

  /// Keeps a runner that gives control back until there are runs again. Returns false if it is to end.
  mutating func keep(_ runner: WaitingTask) -> Bool {
    guard waitingCount > 0, runners.count < Self.waitingRunnerLimit else { return false }
    runners.append(runner)
    return true
  }

  private mutating func leave(_ worker: Int) -> Step {
    workers.leave(worker)
    if workers.isIdle {
      runs.releaseMemory()
      jobs.releaseMemory()
    }
    return .leave
  }

  /// Whether a run is next, not a job. Ends the runs' turn once it has lasted long enough.
  private mutating func beginsRuns() -> Bool {
    if runs.isEmpty { return false }
    if jobs.isEmpty {
      turnRunCount = 0
      return true
    }
    guard jobs.removedCount >= runsPlace else { return false }
    if turnRunCount == 0 {
      turnStart = Self.now()
      return true
    }
    // Reading the clock takes as long as an empty run, so it is read at every fourth.
    let isOver =
      turnRunCount >= Self.turnCount
      || turnRunCount & 3 == 0 && Self.now() &- turnStart >= Self.turnNanoseconds
    guard isOver else { return true }
    runsPlace = jobs.addedCount
    turnRunCount = 0
    return false
  }

  // MARK: Blocked workers

  /// A check that was armed is due. Returns the workers to start, and how long after now to check again.
  mutating func check() -> (starts: [Int], delay: UInt64?) {
    workers.check(waitingCount: waitingCount)
  }

  /// Returns the queue of a worker that is to start.
  mutating func queue(of worker: Int) -> DispatchQueue { workers.queue(of: worker) }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}
