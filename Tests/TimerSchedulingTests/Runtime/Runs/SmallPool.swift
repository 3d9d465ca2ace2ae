import TimerScheduling

/// A pool without threads: two workers wide, three at most, four runs. Two may block for ever, and two go on
/// as jobs.
struct SmallPool {
  enum Event {
    case add(Int)
    /// A run that was suspended goes on, as a job.
    case resume
    case step(Int, isJobNext: Bool)
    /// A runner on the worker asks for a run.
    case take(Int, isRunNext: Bool)
    /// The run on a worker ends, and its runner asks for another.
    case end(Int)
    /// The job on a worker ends.
    case returnControl(Int)
    case suspend(Int)
    case block(Int)
    /// A check, to which the runs since it was armed look short, or long.
    case check(isShort: Bool)
  }

  private enum Thread: Int {
    case none, starting
    /// About to make a step.
    case stepping
    /// About to make a step, as a runner has found that a job is next.
    case steppingToJob
    /// In a runner that is about to ask for a run.
    case taking
    case running
    /// In a run that never ends.
    case blocked
  }

  private var table = WorkerTable(width: 2, limit: 3)
  private var threads = [Thread](repeating: .none, count: 3)
  private var (runCount, jobCount) = (0, 0)
  private var (addedCount, suspendedCount, resumableCount, blockedCount) = (0, 0, 2, 0)
  private var isArmed = false

  var waitingCount: Int { runCount + jobCount }

  /// All that decides what may follow, in one number.
  ///
  /// The delay of a check and the report of the limit decide nothing. Of the runs taken since a check was
  /// armed, only their presence does. The workers are sorted, as all are alike.
  var key: Int {
    let codes = (code(of: 0), code(of: 1), code(of: 2))
    let (low, high) = (min(codes.0, codes.1, codes.2), max(codes.0, codes.1, codes.2))
    var key = low << 14 | (codes.0 + codes.1 + codes.2 - low - high) << 7 | high
    key = key << 3 | runCount
    key = key << 3 | jobCount
    key = key << 3 | addedCount
    key = key << 3 | min(suspendedCount, resumableCount)
    key = key << 3 | resumableCount
    key = key << 2 | blockedCount
    key = key << 1 | (table.wantedCount - 1)
    guard isArmed else { return key << 3 }
    return key << 3 | 4 | (table.takenCount > 0 ? 2 : 0) | (table.hasTakenAll ? 1 : 0)
  }

  private func code(of worker: Int) -> Int {
    let entry = table.workers[worker]
    return threads[worker].rawValue << 4 | entry.phase.rawValue << 2 | entry.checkCount
  }

  /// All that the model of the pool, in `Tests/Models/pool.pml`, knows of the worker table, in one number.
  var tableKey: Int {
    let codes = (0..<3).map { tableCode(of: $0) }.sorted()
    let key = codes[0] << 14 | codes[1] << 10 | codes[2] << 6
    let armed = !isArmed ? 0 : table.hasTakenAll ? 3 : table.takenCount > 0 ? 2 : 1
    return key | table.waitingCount << 3 | (table.wantedCount - 1) << 2 | armed
  }

  /// The phase of a worker, and its number of checks.
  func tableCode(of worker: Int) -> Int {
    let entry = table.workers[worker]
    return entry.phase.rawValue << 2 | entry.checkCount
  }

  /// What an event in this state is to the worker table, if it led to `next`. Nil if the table isn't asked.
  func tableEvent(_ event: Event, to next: SmallPool) -> (name: Int, worker: Int?)? {
    switch event {
    case .add(1), .resume: (0, nil)
    case .add: (1, nil)
    case .step(let worker, _):
      switch next.threads[worker] {
      case .none: (2, worker)
      case .running: (3, worker)
      case .taking, .starting, .stepping, .steppingToJob, .blocked: (4, worker)
      }
    case .take(let worker, _): next.threads[worker] == .running ? (5, worker) : nil
    case .check(true): (6, nil)
    case .check(false): (7, nil)
    case .end, .returnControl, .suspend, .block: nil
    }
  }

  static let tableEventNames = [
    "add-1", "add-2", "step-leave", "step-job", "step-runner", "take", "check-short", "check-long",
  ]

  /// The rule that this state breaks. Nil if it breaks none.
  var problem: String? {
    if table.waitingCount != waitingCount { return "The number of waiting runs is wrong:" }
    if table.isArmed != isArmed { return "The armed check isn't known:" }
    let isLookedAfter =
      isArmed
      || threads.contains { thread in
        switch thread {
        case .starting, .stepping, .steppingToJob, .taking: true
        case .none, .running, .blocked: false
        }
      }
    return waitingCount == 0 || isLookedAfter ? nil : "Work waits, and nothing looks after it:"
  }

  /// The moves that are possible in this state: those of the pool, each with the events in which it may end,
  /// and events from outside.
  var moves: [(isPools: Bool, events: [Event])] {
    var moves: [(Bool, [Event])] = []
    if addedCount < 4 { moves.append((false, [.add(1)])) }
    if addedCount < 3 { moves.append((false, [.add(2)])) }
    if suspendedCount > 0, resumableCount > 0 { moves.append((false, [.resume])) }
    if isArmed { moves.append((true, [.check(isShort: true), .check(isShort: false)])) }
    for worker in 0..<3 {
      var events: [Event] = []
      switch threads[worker] {
      case .none, .blocked: continue
      case .starting, .stepping, .steppingToJob:
        if jobCount > 0 { events.append(.step(worker, isJobNext: true)) }
        let mayBeRuns = jobCount == 0 || runCount > 0 && threads[worker] != .steppingToJob
        if mayBeRuns { events.append(.step(worker, isJobNext: false)) }
      case .taking:
        if runCount > 0 { events.append(.take(worker, isRunNext: true)) }
        if runCount == 0 || jobCount > 0 { events.append(.take(worker, isRunNext: false)) }
      case .running:
        events = [.end(worker), .returnControl(worker), .suspend(worker)]
        if blockedCount < 2 { events.append(.block(worker)) }
      }
      moves.append((true, events))
    }
    return moves
  }

  /// Returns what the event has shown to be wrong, if anything.
  mutating func perform(_ event: Event) -> String? {
    switch event {
    case .add(let count):
      addedCount += count
      runCount += count
      return follow(table.add(count))
    case .resume:
      suspendedCount -= 1
      resumableCount -= 1
      jobCount += 1
      return follow(table.add(1))
    case .step(let worker, let isJobNext):
      let (step, orders) = table.step(of: worker, isJobNext: isJobNext)
      switch step {
      case .leave:
        threads[worker] = .none
        let isLast = !table.workers.contains { $0.phase == .busy }
        if waitingCount > 0, isLast { return "The last busy worker leaves work behind:" }
      case .runner: threads[worker] = .taking
      case .job:
        threads[worker] = .running
        jobCount -= 1
      }
      return follow(orders)
    case .take(let worker, let isRunNext):
      guard let orders = table.take(on: worker, isRunNext: isRunNext) else {
        threads[worker] = isRunNext || jobCount == 0 ? .stepping : .steppingToJob
        return isRunNext && !table.isCrowded ? "A runner leaves a run that is next:" : nil
      }
      threads[worker] = .running
      runCount -= 1
      return follow(orders)
    case .end(let worker): threads[worker] = .taking
    case .returnControl(let worker): threads[worker] = .stepping
    case .suspend(let worker):
      suspendedCount += 1
      threads[worker] = .stepping
    case .block(let worker):
      blockedCount += 1
      threads[worker] = .blocked
    case .check(let isShort):
      isArmed = false
      return follow(table.check(after: isShort ? 0 : 1_000_000_000))
    }
    return nil
  }

  private mutating func follow(_ orders: WorkerTable.Orders) -> String? {
    if orders.armsCheck {
      if isArmed { return "A second check is armed:" }
      isArmed = true
    }
    guard let start = orders.start else { return nil }
    if threads[start] != .none { return "A worker is started that has a thread:" }
    threads[start] = .starting
    let isCrowded = table.workers.count { $0.phase == .starting || $0.phase == .busy } > 2
    return isCrowded ? "More workers are started than the width:" : nil
  }
}
