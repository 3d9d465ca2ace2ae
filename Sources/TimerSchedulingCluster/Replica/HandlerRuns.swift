import TimerScheduling

/// The runs of a handler on this replica.
final class HandlerRuns: Sendable {
  private struct State {
    /// The timers of the runs under way, by number. Nil until a run's timer is known.
    var timers: [Int: ScheduledTimer?] = [:]
    /// The numbers of those that haven't begun.
    var waiting: Set<Int> = []
    var lastNumber = 0
    var failure: (any Error)?
  }

  /// Guards the runs under way, and the last error.
  private let state = Lock(State())

  var count: Int { state.withLock(\.timers.count) }
  var all: [ScheduledTimer] { state.withLock { $0.timers.values.compactMap(\.self) } }
  /// The last error of a run.
  var failure: (any Error)? { state.withLock(\.failure) }

  /// The number of runs that wait for a thread.
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Adds a run that is to begin, if there are fewer than `limit`. Returns its number.
  func add(below limit: Int) -> Int? {
    state.withLock { state in
      guard state.timers.count < limit else { return nil }
      state.lastNumber += 1
      state.waiting.insert(state.lastNumber)
      state.timers[state.lastNumber] = .some(nil)
      return state.lastNumber
    }
  }

  /// Notes that a thread has begun a run.
  func begin(_ number: Int) { state.withLock { _ = $0.waiting.remove(number) } }

  /// Keeps the timer of a run, unless the run has ended.
  func set(_ timer: ScheduledTimer, for number: Int) {
    state.withLock { if $0.timers[number] != nil { $0.timers[number] = .some(timer) } }
  }

  /// Ends a run. Returns how many were under way with it.
  @discardableResult
  func end(_ number: Int) -> Int {
    let (count, timer) = state.withLock { state in
      state.waiting.remove(number)
      return (state.timers.count, state.timers.removeValue(forKey: number))
    }
    withExtendedLifetime(timer) {}
    return count
  }

  func note(_ error: any Error) {
    let old = state.withLock { state in
      defer { state.failure = error }
      return state.failure
    }
    withExtendedLifetime(old) {}
  }
}
