package import Dispatch

/// A pool's workers and their phases, and the number of workers there should be.
///
///     idle ──start──▶ starting ──▶ busy ◀──progress── blocked
///      ▲                            │ └────check───────▲
///      └───────────leave────────────┘
///
/// Up to `width` workers that aren't blocked are busy, or only one while runs are too short for several to be
/// worthwhile. While some are blocked there may be more, up to `limit`. When blocked workers continue, the workers
/// that have control next leave.
///
/// **Work that waits is looked after.** While a run or a job waits, a worker is starting, or has control, or a check is
/// armed. That is decided in one place: every event ends in ``settle(waitingCount:)``.
package struct WorkerTable: Sendable {
  private enum Phase: Int {
    /// Has no thread.
    case idle
    /// Has requested a thread, and has taken no work yet.
    case starting
    /// Performing jobs and runs.
    case busy
    /// Has taken no work between two checks: a run blocks the thread, or takes long.
    case blocked
  }

  private struct Worker {
    /// A serial queue without a target, so that Dispatch gives it a thread even if the threads of its concurrent
    /// queues are all blocked. Nil if the worker is above the width and idle.
    var queue: DispatchQueue?
    var phase = Phase.idle
    /// The number of jobs and runs taken.
    var takenCount = 0
    /// The value of `takenCount` when the last check was armed.
    var checkedCount = 0
  }

  private static var shortestDelay: UInt64 { 2_000_000 }
  private static var longestDelay: UInt64 { 8_000_000 }

  private let label: String
  private let width: Int
  package let limit: Int

  private var workers: [Worker] = []
  private var startingCount = 0
  private var busyCount = 0
  package private(set) var blockedCount = 0
  private var cost = RunCost()
  /// The number of workers wanted besides blocked ones: the width while runs take long, otherwise one.
  private var wantedCount: Int

  /// Whether a check is armed.
  private var isArmed = false
  /// The delay of a check in nanoseconds. It doubles each time no worker is found blocked.
  private var delay = shortestDelay
  /// Whether it was reported that the limit keeps workers from being started.
  private var hasReportedLimit = false

  package init(label: String, width: Int, limit: Int) {
    self.label = label
    self.width = width
    self.limit = limit
    wantedCount = width
  }

  private var count: Int { startingCount &+ busyCount &+ blockedCount }

  /// The number of workers that aren't blocked.
  private var runningCount: Int { startingCount &+ busyCount }

  /// Whether no worker has a thread.
  package var isIdle: Bool { count == 0 }

  /// Whether more workers are busy than wanted, so that one that has control leaves.
  package var isCrowded: Bool { runningCount > wantedCount }

  /// All that decides what the table does next, except the estimate of a run's length and the delay of a check.
  package var signature: [Int] {
    [wantedCount, isArmed ? 1 : 0]
      + workers.flatMap { [$0.takenCount == $0.checkedCount ? 1 : 0, $0.phase.rawValue] }
  }

  // MARK: Work

  /// Starts a worker if that is worthwhile, and arms a check if work is left that no starting worker will take.
  ///
  /// Each event of the pool ends with this, so that no work waits that isn't looked after.
  package mutating func settle(waitingCount: Int) -> WorkerOrders {
    let start = startIfWorthwhile(waitingCount: waitingCount)
    return WorkerOrders(start: start, checkDelay: arm(waitingCount: waitingCount))
  }

  /// Notes that a worker has control, so it isn't blocked.
  package mutating func progressed(_ index: Int) {
    switch workers[index].phase {
    case .busy: return
    case .starting: startingCount -= 1
    case .blocked: blockedCount -= 1
    case .idle: preconditionFailure("A worker that is idle can't have control.")
    }
    workers[index].phase = .busy
    if busyCount == 0 { cost.resume(at: DispatchTime.now().uptimeNanoseconds) }
    busyCount += 1
  }

  /// Notes that a worker has taken a job or a run.
  package mutating func took(on index: Int, waitingCount: Int) -> WorkerOrders {
    workers[index].takenCount &+= 1
    if cost.begin() {
      cost.sample(at: DispatchTime.now().uptimeNanoseconds, workerCount: busyCount)
      updateWantedCount()
    }
    return settle(waitingCount: waitingCount)
  }

  /// Notes that a worker gives up its thread.
  package mutating func leave(_ index: Int, waitingCount: Int) -> WorkerOrders {
    workers[index].phase = .idle
    busyCount -= 1
    if index >= width { workers[index].queue = nil }
    if busyCount == 0 { cost.pause(at: DispatchTime.now().uptimeNanoseconds) }
    return settle(waitingCount: waitingCount)
  }

  // MARK: Blocked workers

  /// Makes a check, which was armed because work was waiting.
  ///
  /// Returns the workers to start in place of blocked ones, and further orders.
  package mutating func check(waitingCount: Int) -> (starts: [Int], orders: WorkerOrders) {
    isArmed = false
    guard waitingCount > 0 else { return ([], .none) }
    let foundCount = findBlocked()
    if foundCount > 0 {
      let now = DispatchTime.now().uptimeNanoseconds
      cost.stalled(for: delay, until: now)
      if busyCount == 0 { cost.pause(at: now) }
      updateWantedCount()
      delay = Self.shortestDelay
    } else {
      delay = min(2 * delay, Self.longestDelay)
    }
    var starts: [Int] = []
    while starts.count < foundCount, let start = startIfWorthwhile(waitingCount: waitingCount) {
      starts.append(start)
    }
    var orders = settle(waitingCount: waitingCount)
    orders.reportsLimit = !hasReportedLimit && limit > width && count == limit && runningCount < wantedCount
    if orders.reportsLimit { hasReportedLimit = true }
    return (starts, orders)
  }

  /// Returns the number of busy workers that have taken no work since the check was armed.
  private mutating func findBlocked() -> Int {
    var foundCount = 0
    for index in workers.indices
    where workers[index].phase == .busy && workers[index].takenCount == workers[index].checkedCount {
      workers[index].phase = .blocked
      foundCount += 1
    }
    busyCount -= foundCount
    blockedCount += foundCount
    return foundCount
  }

  private mutating func arm(waitingCount: Int) -> UInt64? {
    guard waitingCount > startingCount, !isArmed, limit > 1 else { return nil }
    isArmed = true
    for index in workers.indices { workers[index].checkedCount = workers[index].takenCount }
    return delay
  }

  // MARK: Starting

  private mutating func updateWantedCount() {
    if let favorsSeveral = cost.favorsSeveralWorkers { want(several: favorsSeveral) }
  }

  /// Sets the number of wanted workers.
  package mutating func want(several: Bool) { wantedCount = several ? width : 1 }

  private mutating func startIfWorthwhile(waitingCount: Int) -> Int? {
    guard waitingCount > startingCount, runningCount < wantedCount, count < limit else { return nil }
    if runningCount > 0 && !cost.isWorthStart(waitingCount: waitingCount) { return nil }
    return start()
  }

  private mutating func start() -> Int {
    let index = workers.firstIndex { $0.phase == .idle } ?? addWorker()
    workers[index].phase = .starting
    startingCount += 1
    return index
  }

  /// Returns the queue of a worker that is about to start.
  package mutating func queue(of index: Int) -> DispatchQueue {
    let queue = workers[index].queue ?? DispatchQueue(label: "\(label).\(index)")
    workers[index].queue = queue
    return queue
  }

  private mutating func addWorker() -> Int {
    workers.append(Worker())
    return workers.count - 1
  }
}
