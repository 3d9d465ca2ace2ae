import Dispatch

/// Decides what a pool's workers do next, and how many workers there are.
///
/// New runs wait in one queue and resumed jobs in another. The two take turns as in a single queue: the runs together
/// have a place among the jobs. When the place is reached, runs begin, and after a turn of 64 runs or 100 µs their
/// place is again at the end.
///
///     jobs   j j j j ▾ j j j
///     runs           r r r r r r …
///
/// The state performs nothing itself. ``RunnerCore`` guards it with its lock and carries out what the methods return.
package struct RunnerState<Work: RunnerWork>: ~Copyable {
  /// The next step of a worker.
  package enum Step {
    /// Run a job.
    case job(UnownedJob)
    /// Resume a waiting runner, or make one if nil. The runner takes its runs itself.
    case runner(WaitingTask?)
    /// Resume runners, which end because they find no runs.
    case end([WaitingTask])
    /// End the worker.
    case leave
  }

  private static var turnCount: Int { 64 }
  private static var turnNanoseconds: UInt64 { 100_000 }
  /// The largest number of runners that wait for runs while there are jobs. Making a runner costs more than resuming
  /// one.
  private static var waitingRunnerLimit: Int { 256 }

  private static var fetchCount: Int { 16 }

  private var runs = ChunkedQueue<Work>()
  private var jobs = ChunkedQueue<UnownedJob>()
  private var runners: [WaitingTask] = []
  private var workers: WorkerTable

  /// The runs' place among the jobs, as the number of jobs added before it.
  private var runsPlace = 0
  /// The number of runs begun in this turn while jobs waited, and the time at which the first began.
  private var turnRunCount = 0
  private var turnStart: UInt64 = 0
  /// The sum of all values that ``fetchRuns()`` has read. Without it the compiler would remove the reads.
  private var fetched: UInt64 = 0

  package init(workers: consuming WorkerTable) {
    self.workers = workers
  }

  var waitingCount: Int { runs.count &+ jobs.count }

  // MARK: Adding work

  package mutating func add(_ work: consuming Work) -> WorkerOrders {
    placeRuns()
    runs.append(work)
    return workers.settle(waitingCount: waitingCount)
  }

  package mutating func add(_ work: [Work]) -> WorkerOrders {
    placeRuns()
    runs.append(contentsOf: work)
    return workers.settle(waitingCount: waitingCount)
  }

  package mutating func add(_ job: UnownedJob) -> WorkerOrders {
    jobs.append(job)
    return workers.settle(waitingCount: waitingCount)
  }

  /// Places the first run of a queue after the jobs that are already waiting.
  private mutating func placeRuns() {
    guard runs.isEmpty else { return }
    runsPlace = jobs.addedCount
    turnRunCount = 0
  }

  // MARK: Taking work

  /// Returns the next step of a worker that has control.
  package mutating func step(of worker: Int) -> (Step, WorkerOrders) {
    workers.progressed(worker)
    if workers.isCrowded { return leave(worker) }
    if beginsRuns() {
      // The runner takes one of the waiting runs.
      return (.runner(runners.popLast()), workers.settle(waitingCount: waitingCount - 1))
    }
    if let job = jobs.popFirst() {
      return (.job(job), workers.took(on: worker, waitingCount: waitingCount))
    }
    if !runners.isEmpty {
      let ended = runners
      runners = []
      return (.end(ended), .none)
    }
    return leave(worker)
  }

  /// Returns the next run for a runner on `worker`. If there is none, the runner returns control to the worker.
  package mutating func takeRun(on worker: Int) -> (Work?, WorkerOrders) {
    workers.progressed(worker)
    guard !workers.isCrowded, beginsRuns(), let run = runs.popFirst() else { return (nil, .none) }
    if runs.removedCount % Self.fetchCount == 0 { fetchRuns() }
    if !jobs.isEmpty { turnRunCount += 1 }
    return (run, workers.took(on: worker, waitingCount: waitingCount))
  }

  /// Reads the memory that the next runs use first, so that the processor fetches it to its cache in parallel.
  /// Otherwise each run would wait for its own.
  private mutating func fetchRuns() {
    var sum = fetched
    runs.forEachNext(Self.fetchCount) { sum &+= $0.ends }
    fetched = sum
  }

  /// Keeps a runner that returns control until there are runs again. Returns false if the runner should end.
  mutating func keep(_ runner: WaitingTask) -> Bool {
    guard waitingCount > 0, runners.count < Self.waitingRunnerLimit else { return false }
    runners.append(runner)
    return true
  }

  private mutating func leave(_ worker: Int) -> (Step, WorkerOrders) {
    let orders = workers.leave(worker, waitingCount: waitingCount)
    if workers.isIdle {
      runs.releaseMemory()
      jobs.releaseMemory()
    }
    return (.leave, orders)
  }

  /// Returns whether a run is next, not a job. Ends the runs' turn once it has lasted long enough.
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
    // Reading the clock takes as long as an empty run, so it is read at every fourth run only.
    let isOver =
      turnRunCount >= Self.turnCount
      || turnRunCount & 3 == 0 && Self.now() &- turnStart >= Self.turnNanoseconds
    guard isOver else { return true }
    runsPlace = jobs.addedCount
    turnRunCount = 0
    return false
  }

  // MARK: Blocked workers

  /// Makes a check that is due. Returns the workers to start, and further orders.
  mutating func check() -> (starts: [Int], orders: WorkerOrders) {
    workers.check(waitingCount: waitingCount)
  }

  var load: RunnerLoad {
    RunnerLoad(waiting: waitingCount, blocked: workers.blockedCount, limit: workers.limit)
  }

  /// Returns the queue of a worker that is about to start.
  mutating func queue(of worker: Int) -> DispatchQueue { workers.queue(of: worker) }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}
