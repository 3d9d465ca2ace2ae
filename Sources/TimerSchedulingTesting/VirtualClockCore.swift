package import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The part of a virtual clock that schedulers hold.
///
/// Schedulers don't hold the ``VirtualClock`` itself, so a test that drops it releases it. The clock then releases the
/// lifelines that are held here. A scheduler that a test still holds goes on as before, in a time that stands still.
package final class VirtualClockCore: Sendable {
  struct State: ~Copyable {
    var time: VirtualTime
    var attendance = Attendance()
    var drivers: [DriverReference] = []
    /// The number of drivers from which those that were released are looked for.
    var mostDrivers = 16
    /// The executors to which work was posted since they were last visited, by their numbers.
    var busyExecutors: [UInt64: QueueExecutor] = [:]
    /// The number of visits of executors.
    var visitCount = 0
    /// The task that moves the clock, as it waits for everybody to settle.
    var settling: Expectation?
    /// Tasks that wait for consumers or sleepers, by their numbers.
    var expectations: [UInt64: Expectation] = [:]
    var isWatched = false
    /// Of whom a line was printed.
    var reported: Set<Attendance.Absentee.Subject> = []
    var isMoving = false
    var turns: [CheckedContinuation<Void, Never>] = []
    var lastNumber: UInt64 = 0
    /// What keeps the timers of drivers alive that have any.
    var held: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    /// Whether the clock was released, after which no lifeline is held.
    var isAbandoned = false

    mutating func makeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  /// Guards the time, what is to happen in it, and who waits and who is busy.
  let state: Lock<State>
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  private let stepPerReading: Interval

  init(
    date: Date, settlingTimeout: Duration, stepPerReading: Duration,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.settlingTimeout = settlingTimeout
    self.report = report
    self.stepPerReading = Interval(stepPerReading)
    state = Lock(State(time: VirtualTime(date: date)))
  }

  package func read() -> ClockReading {
    state.withLock { state in
      if stepPerReading > .zero { state.time.pass(stepPerReading) }
      return state.time.now
    }
  }

  /// Releases the lifelines that are held, and holds none from now on.
  func abandon() {
    let held = state.withLock { state in
      state.isAbandoned = true
      let held = state.held
      state.held = [:]
      return held
    }
    // Released here, outside the lock, on the thread that drops the clock.
    withExtendedLifetime(held) {}
  }

  // MARK: Changes

  /// Makes a change, and then resumes those who have waited for what it has brought about.
  func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, fulfilled) = state.withLock { state -> (Result, [Expectation]) in
      let result = change(&state)
      return (result, state.takeFulfilled())
    }
    for expectation in fulfilled { expectation.continuation.resume() }
    return result
  }

  // MARK: Patience

  /// Has a task look, time and again, whether somebody waits for too long.
  ///
  /// It looks ten times in a settling timeout instead of once at its end: should tasks find no thread for a
  /// while, as beside tests that block, it finds none either, and only one look is lost. There is one such task
  /// for a clock, which ends when nobody waits, as most waits last for microseconds.
  func watch() {
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    // Without a timeout nobody is waited for, but a test may wait for too many.
    let timeout = settlingTimeout > .zero ? settlingTimeout : .seconds(1)
    Task.detached { [weak self, interval = timeout / 10] in
      repeat { try? await Task.sleep(for: interval) } while self?.losePatience() == true
    }
  }

  /// Gives up on what has taken too long. Returns whether anybody still waits.
  private func losePatience() -> Bool {
    let (lines, isNeeded) = update { state in
      let lines = state.losePatience(after: settlingTimeout)
      let waiting = [state.settling].compactMap(\.self) + state.expectations.values
      state.isWatched = waiting.contains { $0.patience != nil }
      return (lines, state.isWatched)
    }
    for line in lines { report(line) }
    return isNeeded
  }
}
