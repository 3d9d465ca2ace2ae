package protocol WaitingRun: Sendable {
  var key: RunKey { get }
  var tracker: ObjectIdentifier { get }
  /// Whether the run hasn't ended. Tasks that it has created may outlive it.
  var isUnderWay: Bool { get }
}

/// Identifies a run by the numbers of its timer and of the run among the timer's runs.
package struct RunKey: Sendable, Hashable {
  package let timer: UInt64
  package let number: UInt64

  package init(timer: UInt64, number: UInt64) { (self.timer, self.number) = (timer, number) }
}

/// The waits of runs for the ends of others. It decides which would last for ever, and ends those.
///
/// A wait inside a run is over when its target has ended, or when everything of the target that is still
/// under way waits for this run, directly or through others. The graph looks for that when a wait begins and,
/// for a wait for all runs of a tracker, when one of these runs ends. So the wait that would close a cycle
/// returns at once, or a wait for all runs of a tracker ends when only the runs of the cycle are left.
///
/// A search follows the runs' lists of targets, and starts only where all runs of the target wait. So the
/// cost of a wait doesn't grow with the number of waits that have nothing to do with its target.
package struct RunWaitGraph<Run: WaitingRun, Waiter: Sendable>: Sendable {
  package enum Target: Sendable, Hashable {
    case run(RunKey)
    case end(TimerEnd)
    /// The ends of all runs of a tracker.
    case all(ObjectIdentifier)
  }

  /// The end of a timer, for which the run under way matters only if it is the timer's last.
  package struct TimerEnd: Sendable, Hashable {
    fileprivate let timer: UInt64
    /// Returns the number of the timer's last run while it is under way.
    fileprivate let lastRun: @Sendable () -> UInt64?

    package init(timer: UInt64, lastRun: @escaping @Sendable () -> UInt64?) {
      (self.timer, self.lastRun) = (timer, lastRun)
    }

    package static func == (left: TimerEnd, right: TimerEnd) -> Bool { left.timer == right.timer }

    package func hash(into hasher: inout Hasher) { hasher.combine(timer) }
  }

  private struct Node {
    let run: Run
    /// The targets, and for each the number of tasks that wait for it.
    var targets: [Target: Int] = [:]
  }

  private struct Tracker {
    /// The tracker's runs that wait.
    var waiting: Set<RunKey> = []
    /// Tasks that wait for all of the tracker's runs, by the runs that they belong to.
    var waiters: [RunKey: [Waiter]] = [:]
    /// Tasks of runs that have ended since they began to wait.
    var outlived: [Waiter] = []

    var isEmpty: Bool { waiting.isEmpty && waiters.isEmpty && outlived.isEmpty }
  }

  private var nodes: [RunKey: Node] = [:]
  private var trackers: [ObjectIdentifier: Tracker] = [:]

  package init() {}

  package var isEmpty: Bool { nodes.isEmpty && trackers.isEmpty }

  /// Begins a wait for a run or a timer. Returns false if it would last for ever.
  package mutating func begin(_ target: Target, in run: Run) -> Bool {
    add(target, to: run)
    let isEndless = members(of: target).contains { nodes[$0].map { waits($0, for: run) } ?? false }
    if isEndless { end(target, in: run) }
    return !isEndless
  }

  /// Ends a wait. If its run has ended, the wait was removed then.
  package mutating func end(_ target: Target, in run: Run) {
    guard let count = nodes[run.key]?.targets[target] else { return }
    set(count > 1 ? count - 1 : nil, for: target, in: run)
  }

  private mutating func set(_ count: Int?, for target: Target, in run: Run) {
    nodes[run.key]?.targets[target] = count
    if nodes[run.key]?.targets.isEmpty == true { removeNode(of: run) }
  }

  /// Begins a wait for all runs of a tracker, of which `counts` are under way. Returns false if it is over.
  package mutating func begin(
    _ waiter: Waiter, forAllOf id: ObjectIdentifier, _ counts: RunTracker.Counts, in run: Run
  ) -> Bool {
    add(.all(id), to: run)
    let members = waitingMembers(of: id, counts) { isGoal($0, run) }
    if let members, members.allSatisfy({ waits($0, for: run) }) {
      end(.all(id), in: run)
      return false
    }
    trackers[id, default: Tracker()].waiters[run.key, default: []].append(waiter)
    return true
  }

  /// Removes and returns the tasks whose wait for all runs of a tracker is over, now that `counts` are under
  /// way. It takes constant time while a run is under way that doesn't wait.
  package mutating func takeOver(_ id: ObjectIdentifier, _ counts: RunTracker.Counts) -> [Waiter] {
    guard let waiters = trackers[id]?.waiters, !waiters.isEmpty || trackers[id]?.outlived.isEmpty == false,
      let members = waitingMembers(of: id, counts, unlessNone: { waiters[$0.run.key] != nil })
    else { return [] }
    var over = members.isEmpty ? trackers[id]?.outlived ?? [] : []
    if members.isEmpty { trackers[id]?.outlived = [] }
    // The members that don't wait for a whole tracker, so that it isn't asked for each of the tracker's
    // waits.
    var others: [ObjectIdentifier: [Node]] = [:]
    let runs = waiters.keys.compactMap { nodes[$0]?.run }.filter { run in
      guard members.isEmpty || run.isUnderWay else { return false }
      let rest = others[run.tracker] ?? members.filter { $0.targets[.all(run.tracker)] == nil }
      others[run.tracker] = rest
      return rest.allSatisfy { waits($0, for: run) }
    }
    for run in runs {
      over += trackers[id]?.waiters.removeValue(forKey: run.key) ?? []
      set(nil, for: .all(id), in: run)
    }
    removeTrackerIfEmpty(id)
    return over
  }

  /// Returns a tracker's runs under way if all of them wait, otherwise nil. Also returns nil, in constant
  /// time, if the first of them waits for no goal.
  private func waitingMembers(
    of id: ObjectIdentifier, _ counts: RunTracker.Counts, unlessNone isGoal: (Node) -> Bool
  ) -> [Node]? {
    guard counts.work == 0 else { return nil }
    if counts.runs == 0 { return [] }
    guard let waiting = trackers[id]?.waiting, waiting.count >= counts.runs else { return nil }
    let first = waiting.first.flatMap { nodes[$0] }
    if let first, first.run.isUnderWay, !reaches(first, isGoal) { return nil }
    // The counts were read before, so a run that they leave out is seen to have ended.
    let members = waiting.compactMap { nodes[$0] }.filter(\.run.isUnderWay)
    return members.count == counts.runs ? members : nil
  }

  /// Removes the waits of a run that has ended.
  package mutating func runEnded(_ run: Run) {
    for case .all(let id) in nodes[run.key]?.targets.keys.map(\.self) ?? [] {
      let waiters = trackers[id]?.waiters.removeValue(forKey: run.key) ?? []
      trackers[id]?.outlived += waiters
    }
    removeNode(of: run)
  }

  private mutating func add(_ target: Target, to run: Run) {
    nodes[run.key, default: Node(run: run)].targets[target, default: 0] += 1
    trackers[run.tracker, default: Tracker()].waiting.insert(run.key)
  }

  private mutating func removeNode(of run: Run) {
    nodes[run.key] = nil
    trackers[run.tracker]?.waiting.remove(run.key)
    removeTrackerIfEmpty(run.tracker)
  }

  private mutating func removeTrackerIfEmpty(_ id: ObjectIdentifier) {
    if trackers[id]?.isEmpty == true { trackers[id] = nil }
  }

  /// The runs of a target: one at most, or the runs of a tracker that wait.
  private func members(of target: Target) -> Set<RunKey> {
    switch target {
    case .run(let key): [key]
    case .end(let end): end.lastRun().map { [RunKey(timer: end.timer, number: $0)] } ?? []
    case .all(let id): trackers[id]?.waiting ?? []
    }
  }

  private func waits(_ start: Node, for goal: Run) -> Bool { reaches(start) { isGoal($0, goal) } }

  private func isGoal(_ node: Node, _ goal: Run) -> Bool {
    node.run.key == goal.key || node.targets[.all(goal.tracker)] != nil
  }

  /// Returns whether a run is a goal or waits for one, directly or through others. A run that has ended
  /// doesn't wait.
  private func reaches(_ start: Node, _ isGoal: (Node) -> Bool) -> Bool {
    guard start.run.isUnderWay else { return false }
    if isGoal(start) { return true }
    var (seen, unseen) = (Set<Target>(), [start])
    while let next = unseen.popLast() {
      for target in next.targets.keys where seen.insert(target).inserted {
        for key in members(of: target) {
          guard let node = nodes[key], node.run.isUnderWay else { continue }
          if isGoal(node) { return true }
          unseen.append(node)
        }
      }
    }
    return false
  }
}
