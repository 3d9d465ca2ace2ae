import Dispatch
import TimerScheduling

/// A run that calls a closure.
struct TestRun: RunnerWork {
  let body: @Sendable (Runner) async -> Bool

  /// A run whose runner may perform others.
  init(_ body: @escaping @Sendable () async -> Void) {
    self.body = { _ in
      await body()
      return true
    }
  }

  init(inRunner body: @escaping @Sendable (Runner) async -> Bool) {
    self.body = body
  }

  func perform(in runner: Runner) async -> Bool { await body(runner) }

  var ends: UInt64 { 0 }
}

/// Counts runs, and lets a test wait for a number of them.
final class RunCounter: Sendable {
  private struct State {
    var count = 0
    var awaited = Int.max
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Guards the count and the test that waits.
  private let state = Lock(State())

  var count: Int { state.withLock { $0.count } }

  /// Returns the number of runs that have been counted.
  @discardableResult func add() -> Int {
    let (count, waiter) = state.withLock { state in
      state.count += 1
      return (state.count, state.count >= state.awaited ? state.waiter.take() : nil)
    }
    waiter?.resume()
    return count
  }

  /// Waits until `count` runs have been counted.
  func reach(_ count: Int) async {
    await withCheckedContinuation { waiter in
      let isReached = state.withLock { state in
        state.awaited = count
        if state.count >= count { return true }
        state.waiter = waiter
        return false
      }
      if isReached { waiter.resume() }
    }
  }
}

extension DispatchSemaphore {
  /// Blocks the thread until the semaphore is signalled.
  func signalled() { wait() }
}
