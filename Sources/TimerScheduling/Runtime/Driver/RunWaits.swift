import Synchronization

/// The waits of running actions for the ends of other runs, in the whole process.
///
/// Two actions that wait for each other's end would wait forever. So an action that begins to wait learns here which
/// runs wait for its own, directly or through others, and doesn't wait for these. As waits begin one after the other,
/// no cycle can form.
struct RunWaits: ~Copyable, Sendable {
  static let shared = RunWaits()

  enum Target: Sendable {
    /// A run of a timer, by the run's number.
    case run(of: UInt64, number: UInt64)
    /// All runs of a driver.
    case all(of: TaskTracker)
  }

  /// A wait that has begun inside a run.
  struct Wait: Sendable {
    fileprivate let number: UInt64
    /// The waiting run.
    let run: TrackedRun
    fileprivate let target: Target
    /// The runs that wait for this one, directly or through others.
    let waitingForIt: Set<TrackedRun>

    /// Whether the run would wait for itself, directly or through others.
    var closesCircle: Bool { isFor(run) || waitingForIt.contains { isFor($0) } }

    fileprivate func isFor(_ other: TrackedRun) -> Bool {
      switch target {
      case .run(let timer, let number): other.run.timer.number == timer && other.run.number == number
      case .all(let tracker):
        other.tracker == ObjectIdentifier(tracker) && other != run && !waitingForIt.contains(other)
      }
    }
  }

  private struct State {
    var waits: [UInt64: Wait] = [:]
    var lastNumber: UInt64 = 0

    /// Returns the runs that wait for `run`, directly or through others.
    func runsWaiting(for run: TrackedRun) -> Set<TrackedRun> {
      var found: Set<TrackedRun> = []
      var unseen = [run]
      while let next = unseen.popLast() {
        for wait in waits.values where wait.isFor(next) && found.insert(wait.run).inserted {
          unseen.append(wait.run)
        }
      }
      return found
    }
  }

  /// Guards the waits. No other lock is taken while this one is held.
  private let state = Lock(State())
  /// The number of waits that are about to begin or haven't ended. While it is zero, a run that ends takes no lock.
  private let count = Atomic<Int>(0)

  /// Begins a wait of the current task. Returns nil if the task belongs to no run that is under way.
  ///
  /// A wait that would complete a cycle isn't added: the caller must return instead of waiting.
  func begin(for target: Target) -> Wait? {
    guard let run = ActionRun.bound else { return nil }
    // Done first, so that a run that ends from now on takes the lock, and removes the wait added below.
    count.add(1, ordering: .sequentiallyConsistent)
    let (wait, isAdded) = state.withLock { state -> (Wait?, Bool) in
      guard run.isUnderWay else { return (nil, false) }
      state.lastNumber += 1
      let wait = Wait(
        number: state.lastNumber, run: run, target: target, waitingForIt: state.runsWaiting(for: run))
      if wait.closesCircle { return (wait, false) }
      state.waits[wait.number] = wait
      return (wait, true)
    }
    if !isAdded { count.subtract(1, ordering: .relaxed) }
    return wait
  }

  func end(_ wait: Wait) {
    // If its run has ended, the wait was removed then.
    let removed = state.withLock { $0.waits.removeValue(forKey: wait.number) }
    if removed != nil { count.subtract(1, ordering: .relaxed) }
  }

  /// Removes the waits of a run that has ended. Tasks that outlive the run may go on waiting, but the run doesn't.
  func runEnded(_ run: TrackedRun) {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
    let removed = state.withLock { state in
      let ended = state.waits.values.filter { $0.run == run }
      for wait in ended { state.waits[wait.number] = nil }
      return ended
    }
    count.subtract(removed.count, ordering: .relaxed)
  }
}
