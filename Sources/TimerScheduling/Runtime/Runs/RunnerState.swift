import Dispatch

/// The runs and jobs that wait in a pool, and its workers.
///
/// New runs wait in one queue and resumed jobs in another. The runs together have a place among the jobs.
/// When the place is reached, runs begin, and after a turn of 64 runs or 100 µs their place is at the end
/// again.
///
///     jobs   j j j j ▾ j j j
///     runs           r r r r r r …
///
/// ``WorkerTable`` decides how many workers there are, and ``RunnerPool`` carries out what the methods
/// return.
package struct RunnerState<Work: RunnerWork>: ~Copyable {
  package typealias Orders = WorkerTable.Orders

  package enum Step {
    case job(UnownedJob)
    /// Resume a waiting runner, or make one if nil.
    case runner(WaitingTask?)
    /// Resume runners, which end because they find no runs.
    case end([WaitingTask])
    case leave
  }

  private static var turnCount: Int { 64 }
  private static var turnNanoseconds: UInt64 { 100_000 }
  /// Of 200,000 runs that yield once, each takes 2.3 µs with waiting runners, and 3.0 if runners are made
  /// instead.
  private static var waitingRunnerLimit: Int { 256 }
  private static var fetchCount: Int { 16 }

  private var runs = RunQueue<Work>()
  private var jobs = RunQueue<UnownedJob>()
  private var runners: [WaitingTask] = []
  var workers: WorkerTable
  private let label: String
  /// The workers' serial queues. They have no target, so Dispatch gives each a thread of its own.
  private var queues: [DispatchQueue] = []

  /// The runs' place among the jobs, as the number of jobs added before it.
  private var runsPlace = 0
  /// The number of runs begun in this turn while jobs waited.
  private var turnRunCount = 0
  private var turnStart: UInt64 = 0
  /// The sum of all values that ``fetchRuns()`` has read. Without it the compiler would remove the reads.
  private var fetched: UInt64 = 0

  package init(label: String, width: Int, limit: Int) {
    self.label = label
    workers = WorkerTable(width: width, limit: limit)
  }

  package mutating func add(_ work: consuming Work) -> Orders {
    placeRuns()
    runs.append(work)
    return workers.add(1)
  }

  package mutating func add(_ work: [Work]) -> Orders {
    placeRuns()
    for work in work { runs.append(work) }
    return workers.add(work.count)
  }

  package mutating func add(_ job: UnownedJob) -> Orders {
    jobs.append(job)
    return workers.add(1)
  }

  /// Places the first run of a queue after the jobs that are already waiting.
  private mutating func placeRuns() {
    guard runs.isEmpty else { return }
    runsPlace = jobs.addedCount
    turnRunCount = 0
  }

  package mutating func step(of worker: Int) -> (Step, Orders) {
    if workers.waitingCount == 0, !runners.isEmpty {
      let ended = runners
      runners = []
      return (.end(ended), Orders())
    }
    let (step, orders) = workers.step(of: worker, isJobNext: !beginsRuns())
    switch step {
    case .runner:
      return (.runner(runners.popLast()), orders)
    case .job:
      guard let job = jobs.popFirst() else { preconditionFailure("No job waits though one is next.") }
      return (.job(job), orders)
    case .leave:
      if workers.count == 0 {
        runs.releaseMemory()
        jobs.releaseMemory()
      }
      return (.leave, orders)
    }
  }

  /// Returns nil if the runner is to return control to the worker.
  package mutating func takeRun(on worker: Int) -> (Work?, Orders) {
    guard let orders = workers.take(on: worker, isRunNext: beginsRuns()) else { return (nil, Orders()) }
    let run = runs.popFirst()
    if runs.removedCount % Self.fetchCount == 0 { fetchRuns() }
    if !jobs.isEmpty { turnRunCount += 1 }
    return (run, orders)
  }

  /// Reads the memory that the next runs use first, so that the processor fetches it to its cache in
  /// parallel. Of 300,000 actions due within 200 ms, each takes 1.55 µs with this, and 1.68 without.
  private mutating func fetchRuns() {
    var sum = fetched
    runs.forEachNext(Self.fetchCount) { sum &+= $0.ends }
    fetched = sum
  }

  /// Keeps a runner that returns control. Returns false if it should end.
  mutating func keep(_ runner: WaitingTask) -> Bool {
    guard workers.waitingCount > 0, runners.count < Self.waitingRunnerLimit else { return false }
    runners.append(runner)
    return true
  }

  /// Returns whether a run is next, not a job. Ends a turn of runs that has lasted long enough.
  private mutating func beginsRuns() -> Bool {
    if runs.isEmpty { return false }
    if jobs.isEmpty {
      turnRunCount = 0
      return true
    }
    guard jobs.removedCount >= runsPlace else { return false }
    if turnRunCount == 0 {
      turnStart = DispatchTime.now().uptimeNanoseconds
      return true
    }
    // Reading the clock takes as long as an empty run.
    let isOver =
      turnRunCount >= Self.turnCount
      || turnRunCount & 3 == 0 && DispatchTime.now().uptimeNanoseconds &- turnStart >= Self.turnNanoseconds
    guard isOver else { return true }
    runsPlace = jobs.addedCount
    turnRunCount = 0
    return false
  }

  mutating func queue(of worker: Int) -> DispatchQueue {
    while queues.count <= worker { queues.append(DispatchQueue(label: "\(label).\(queues.count)")) }
    return queues[worker]
  }
}

/// A first-in, first-out queue of runs or jobs. Elements come into one array, and leave another that holds
/// older ones in reverse order. When that is empty, the two change places.
package struct RunQueue<Element: Sendable>: Sendable {
  private var incoming: [Element] = []
  private var outgoing: [Element] = []
  private(set) var addedCount = 0
  private(set) var removedCount = 0

  package init() {}

  package var isEmpty: Bool { addedCount == removedCount }

  package mutating func append(_ element: Element) {
    incoming.append(element)
    addedCount &+= 1
  }

  package mutating func popFirst() -> Element? {
    if outgoing.isEmpty {
      if incoming.isEmpty { return nil }
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    removedCount &+= 1
    return outgoing.removeLast()
  }

  /// Calls `body` with at most `count` of the next elements, as far as they are reversed.
  package func forEachNext(_ count: Int, _ body: (Element) -> Void) {
    for index in outgoing.indices.suffix(count).reversed() { body(outgoing[index]) }
  }

  package mutating func releaseMemory() {
    if isEmpty { (incoming, outgoing) = ([], []) }
  }
}
