package import TimerScheduling

/// The timers of a driver and of its runs, and the last error of a run.
///
/// A registration keeps them after their end, so they hold neither the user's code nor the replica.
package final class RunTimers: Sendable {
  enum Phase {
    /// The timer of the run hasn't fired.
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
    var limit: Int
  }

  /// Guards the timers. Their states aren't read under it: that may end a timer, and its release calls this
  /// object.
  private let state: Lock<State>
  /// The tasks that wait until each run has a timer. Their lock is taken before that of the timers.
  private let waiters: Waiters<Void>

  package init(limit: Int, in virtual: (any VirtualTasks)?) {
    state = Lock(State(limit: limit))
    waiters = Waiters(in: virtual)
  }

  var limit: Int {
    get { state.withLock(\.limit) }
    set { state.withLock { $0.limit = newValue } }
  }

  package func begin(_ timer: ScheduledTimer) { state.withLock { $0.driver = timer } }

  /// Whether the driver's timer is neither paused nor over.
  private var isActive: Bool { state.withLock(\.driver)?.state == .scheduled }

  /// Whether the driver's timer is paused.
  var isPaused: Bool { state.withLock(\.driver)?.state == .paused }

  /// The number of further runs that it may have. Zero while its timer is paused, and once that has ended.
  package var room: Int { isActive ? max(state.withLock { $0.limit - $0.runs.count }, 0) : 0 }

  /// The number of runs that wait for a thread.
  package var waitingCount: Int { state.withLock { $0.runs.values.count { $0.phase != .begun } } }

  var failure: (any Error)? {
    get { state.withLock(\.failure) }
    set {
      // Released outside the lock.
      var old = newValue
      state.withLock { swap(&$0.failure, &old) }
    }
  }

  /// Adds a run without a timer. Returns false if there is no room for it.
  package func add(_ token: Int64) -> Bool {
    // The store may not know of the limit, and the timer may have been paused since the claim.
    let isActive = isActive
    return state.withLock { state in
      guard isActive, state.runs.count < state.limit else { return false }
      state.runs[token] = (nil, .scheduled)
      return true
    }
  }

  /// Sets a run's timer, and cancels it if the driver was cancelled meanwhile.
  package func set(_ timer: ScheduledTimer, of token: Int64) {
    let driver = state.withLock { state in
      state.runs[token]?.timer = timer
      return state.driver
    }
    if driver?.state == .finished(.cancelled) { timer.cancel() }
    waiters.resume { hasAllTimers }
  }

  private var hasAllTimers: Bool { state.withLock { $0.runs.values.allSatisfy { $0.timer != nil } } }

  /// Notes that the timer of a run has fired, or that its row is given back. Returns false if either was
  /// noted before.
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
  package func forget(_ token: Int64) -> Int {
    let (count, run) = state.withLock { ($0.runs.count, $0.runs.removeValue(forKey: token)) }
    waiters.resume { hasAllTimers }
    withExtendedLifetime(run) {}
    return count
  }

  /// Gives back the rows of runs whose timers haven't fired and were paused since then.
  package func releasePaused() {
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
