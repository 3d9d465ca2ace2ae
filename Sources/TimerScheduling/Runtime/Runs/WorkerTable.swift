/// A pool's workers, and the number of runs and jobs that wait for them.
///
///     idle ──start──▶ starting ──step──▶ busy ◀──step, take── blocked
///      ▲                                 │ └───────check───────▲
///      └──────────────leave──────────────┘
///
/// The wanted number of workers that aren't blocked is the width, or one while runs are so short that several
/// workers would mostly contend for the pool's lock. In place of blocked workers others are started, up to
/// `limit` in all.
///
/// **Work that waits is looked after.** While a run or a job waits, a worker is starting, or has control, or
/// a check is armed. Every event ends in ``settle(_:)``, which alone starts workers and arms checks.
package struct WorkerTable: Sendable {
  package enum Phase: Int, Sendable {
    /// Has no thread.
    case idle
    /// Has requested a thread.
    case starting
    case busy
    /// A run blocks its thread, or takes long.
    case blocked
  }

  package struct Worker: Sendable {
    package fileprivate(set) var phase = Phase.idle
    /// The number of checks since the worker last took a run or a job.
    package fileprivate(set) var checkCount = 0
  }

  /// The work that an event leaves to the pool, to be done outside its lock.
  package struct Orders: Sendable {
    package fileprivate(set) var start: Int?
    package fileprivate(set) var armsCheck = false
    /// Whether to report that so many workers are blocked that no other may be started.
    package fileprivate(set) var reportsLimit = false
  }

  /// The next step of a worker that has control. It resumes or makes a runner, which takes a run by itself.
  package enum Step { case leave, job, runner }

  private static var shortestDelay: UInt64 { 2_000_000 }
  private static var longestDelay: UInt64 { 8_000_000 }

  private let width: Int
  package let limit: Int

  package private(set) var workers: [Worker]
  package private(set) var waitingCount = 0
  private var startingCount = 0
  private var busyCount = 0
  package private(set) var blockedCount = 0
  package private(set) var wantedCount: Int

  package private(set) var isArmed = false
  /// The nanoseconds until an armed check is due. They double with each that is in vain.
  package private(set) var checkDelay = shortestDelay
  /// The number of runs and jobs taken since the check was armed.
  package private(set) var takenCount = 0
  /// Whether nothing has waited at some moment since the check was armed.
  package private(set) var hasTakenAll = false
  private var hasReportedLimit = false

  package init(width: Int, limit: Int) {
    (self.width, self.limit, wantedCount) = (width, limit, width)
    workers = Array(repeating: Worker(), count: limit)
  }

  private var runningCount: Int { startingCount &+ busyCount }
  var count: Int { runningCount &+ blockedCount }

  /// Whether a busy worker is to leave. One that is starting may be needed by the time it has its thread, so
  /// the last busy one stays.
  package var isCrowded: Bool { runningCount > wantedCount && busyCount > 1 }

  package mutating func add(_ count: Int) -> Orders {
    waitingCount &+= count
    return settle(waitingCount)
  }

  package mutating func step(of index: Int, isJobNext: Bool) -> (Step, Orders) {
    noteControl(of: index)
    if waitingCount == 0 || isCrowded {
      leave(index)
      return (.leave, settle(waitingCount))
    }
    if isJobNext {
      noteTaken(by: index)
      return (.job, settle(waitingCount))
    }
    // The runner takes one.
    return (.runner, settle(waitingCount &- 1))
  }

  /// Takes a run for a runner on a worker. Returns nil if the worker is to get control again.
  package mutating func take(on index: Int, isRunNext: Bool) -> Orders? {
    guard isRunNext, !isCrowded else { return nil }
    noteControl(of: index)
    noteTaken(by: index)
    return settle(waitingCount)
  }

  package mutating func check(after nanoseconds: UInt64) -> Orders {
    isArmed = false
    updateWantedCount(after: nanoseconds)
    let isInVain = waitingCount > 0 && !findBlocked()
    checkDelay = isInVain ? min(2 * checkDelay, Self.longestDelay) : Self.shortestDelay
    var orders = settle(waitingCount)
    orders.reportsLimit =
      !hasReportedLimit && waitingCount > 0 && limit > width && count == limit && runningCount < wantedCount
    if orders.reportsLimit { hasReportedLimit = true }
    return orders
  }

  /// Starts a worker and arms a check if `count` runs and jobs, which no worker is about to take, need them.
  @inline(__always)
  private mutating func settle(_ count: Int) -> Orders {
    var orders = Orders()
    if count > startingCount, runningCount < wantedCount, self.count < limit { orders.start = start() }
    if count > startingCount, !isArmed, limit > 1 {
      isArmed = true
      takenCount = 0
      hasTakenAll = false
      orders.armsCheck = true
    }
    return orders
  }

  @inline(never)
  private mutating func start() -> Int? {
    guard let index = workers.firstIndex(where: { $0.phase == .idle }) else { return nil }
    workers[index] = Worker(phase: .starting)
    startingCount += 1
    return index
  }

  /// Notes that a worker has control, so it isn't blocked.
  @inline(__always)
  private mutating func noteControl(of index: Int) {
    switch workers[index].phase {
    case .busy: return
    case .starting: startingCount -= 1
    case .blocked: blockedCount -= 1
    case .idle: preconditionFailure("A worker that is idle can't have control.")
    }
    workers[index] = Worker(phase: .busy)
    busyCount += 1
  }

  @inline(__always)
  private mutating func noteTaken(by index: Int) {
    workers[index].checkCount = 0
    waitingCount &-= 1
    takenCount &+= 1
    if waitingCount == 0 { hasTakenAll = true }
  }

  private mutating func leave(_ index: Int) {
    workers[index] = Worker()
    busyCount -= 1
  }

  /// Sets the wanted number of workers by the time that a run or a job took since the check was armed.
  /// Workers that share runs of a microsecond contend for locks, with each other and with the thread that
  /// fires the timers, which raises the time to 1.4 to 6 µs. With one worker the time falls, so the number
  /// doesn't alternate. A time in which all that waited was taken contains idle moments, so it doesn't raise
  /// the number.
  private mutating func updateWantedCount(after nanoseconds: UInt64) {
    let (worked, taken) = (nanoseconds * UInt64(max(1, busyCount)), UInt64(takenCount))
    if worked < 8_000 * taken {
      wantedCount = 1
    } else if !hasTakenAll {
      wantedCount = width
    }
  }

  /// Marks busy workers as blocked that have taken nothing in two checks. Returns whether there are any.
  private mutating func findBlocked() -> Bool {
    let oldCount = blockedCount
    for index in workers.indices where workers[index].phase == .busy {
      workers[index].checkCount += 1
      guard workers[index].checkCount == 2 else { continue }
      workers[index].phase = .blocked
      busyCount -= 1
      blockedCount += 1
    }
    return blockedCount > oldCount
  }
}
