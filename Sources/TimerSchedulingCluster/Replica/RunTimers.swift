import TimerScheduling

/// The timers of a driver and of its runs, and the last error of a run.
///
/// A registration keeps them after their end, so they hold neither the user's code nor the replica.
final class RunTimers: Sendable {
  enum Phase {
    case scheduled
    /// The timer has fired, and the action waits for a thread.
    case fired
    case begun
    /// The timer hasn't fired, and the row is given back.
    case givenBack
  }

  private struct State {
    var driver: ScheduledTimer?
    /// The runs under way, by token. Each is without a timer while that is being made.
    var runs: [Int64: (timer: ScheduledTimer?, phase: Phase)] = [:]
    var failure: (any Error)?
  }

  let limit: Int
  /// The timers' own locks are taken under it.
  private let state = Lock(State())
  /// The tasks that wait until each run has a timer. Their lock is taken before that of the timers.
  private let waiters: Waiters<Void>

  init(limit: Int, in world: (any ClockWorld)?) { (self.limit, waiters) = (limit, Waiters(in: world)) }

  func begin(_ timer: ScheduledTimer) { state.withLock { $0.driver = timer } }

  /// The number of further runs that it may have. Zero while its timer is paused, and once that has ended.
  var room: Int { state.withLock { room($0) } }

  private func room(_ state: State) -> Int {
    state.driver?.state == .scheduled ? max(limit - state.runs.count, 0) : 0
  }

  /// The number of runs that wait for a thread.
  var waitingCount: Int { state.withLock { $0.runs.values.count { $0.phase != .begun } } }

  var failure: (any Error)? {
    get { state.withLock(\.failure) }
    set {
      // Released outside the lock.
      var old = newValue
      state.withLock { swap(&$0.failure, &old) }
    }
  }

  /// Adds a run without a timer. Returns false if there is no room for it.
  func add(_ token: Int64) -> Bool {
    state.withLock { state in
      // The store may not know of the limit, and the timer may have been paused since the claim.
      guard room(state) > 0 else { return false }
      state.runs[token] = (nil, .scheduled)
      return true
    }
  }

  /// Sets a run's timer, and cancels it if the driver was cancelled meanwhile.
  func set(_ timer: ScheduledTimer, of token: Int64) {
    let isCancelled = state.withLock { state in
      state.runs[token]?.timer = timer
      return state.driver?.state == .finished(.cancelled)
    }
    if isCancelled { timer.cancel() }
    waiters.resume { hasAllTimers }
  }

  private var hasAllTimers: Bool { state.withLock { $0.runs.values.allSatisfy { $0.timer != nil } } }

  /// Notes that the timer of a run has fired, or that its row is given back. Returns false if either was noted before.
  func change(_ token: Int64, to phase: Phase) -> Bool {
    state.withLock { state in
      guard state.runs[token]?.phase == .scheduled else { return false }
      state.runs[token]?.phase = phase
      return true
    }
  }

  func begin(_ token: Int64) { state.withLock { $0.runs[token]?.phase = .begun } }

  /// Forgets a run. Returns how many were under way with it.
  @discardableResult
  func forget(_ token: Int64) -> Int {
    let (count, _) = state.withLock { ($0.runs.count, $0.runs.removeValue(forKey: token)) }
    waiters.resume { hasAllTimers }
    return count
  }

  /// Gives back the rows of runs whose timers haven't fired and were paused since then.
  func releasePaused() {
    // Not under the lock: reading the state of a timer may end it, which calls `forget`.
    for (token, run) in state.withLock(\.runs) where run.timer?.state == .paused {
      if change(token, to: .givenBack) { run.timer?.cancel() }
    }
  }

  /// Cancels the timer of the driver, after which there are no further runs, and then those of its runs.
  func cancel() {
    state.withLock(\.driver)?.cancel()
    for timer in state.withLock({ $0.runs.values.compactMap(\.timer) }) { timer.cancel() }
  }

  func cancelAndWait() async {
    cancel()
    await waiters.wait { hasAllTimers ? nil : () }
    let timers = state.withLock { [$0.driver] + $0.runs.values.map(\.timer) }
    for timer in timers { await timer?.cancelAndWait() }
  }
}
