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
    /// Whether the main actor was asked for a sign of life, and hasn't come to it.
    var isMainActorAsked = false
    /// The number of looks in a row that didn't count.
    var lostLookCount = 0
    /// What fails the test, and was not yet told to it.
    var failures: [String] = []
    /// How often those were given up for whom it waited.
    var settlingTimeoutCount = 0
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
  /// Fails the test.
  let fail: @Sendable (String) -> Void
  private let stepPerReading: Interval

  init(
    date: Date, settlingTimeout: Duration, stepPerReading: Duration,
    report: @escaping @Sendable (String) -> Void, fail: @escaping @Sendable (String) -> Void
  ) {
    JobTracker.install()
    self.settlingTimeout = settlingTimeout
    self.report = report
    self.fail = fail
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

  /// Without a settling timeout nobody is waited for, but a test may wait for too many.
  var lookInterval: Duration { (settlingTimeout > .zero ? settlingTimeout : .seconds(1)) / 10 }

  /// Has a task look, time and again, whether anything takes too long.
  ///
  /// It looks ten times in a settling timeout. A look doesn't count if between the last one and this the main actor didn't
  /// get a job done, or a job found no thread, as beside tests that block. There is one such task for a clock, which ends
  /// when nothing is waited for, as most waits last for microseconds.
  func watch() {
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    Task.detached { [weak self, interval = lookInterval] in
      var isNeeded = true
      while isNeeded {
        self?.askMainActor()
        let number = JobTracker.shared.nextNumber
        try? await Task.sleep(for: interval)
        isNeeded = self?.look(isHeldUp: JobTracker.shared.isHeldUp(before: number)) ?? false
      }
    }
  }

  /// Has the main actor say that it is free, unless it has been asked and hasn't come to it.
  private func askMainActor() {
    let isAsked = state.withLock { state in
      defer { state.isMainActorAsked = true }
      return state.isMainActorAsked
    }
    guard !isAsked else { return }
    Task { @MainActor [weak self] in self?.state.withLock { $0.isMainActorAsked = false } }
  }

  /// For how long a blocked main actor or pool is waited for at most, as a program may never run its main actor.
  static let holdupLimit = Duration.seconds(60)

  /// Gives up on what has taken too long. Returns whether anything is still waited for.
  private func look(isHeldUp: Bool) -> Bool {
    let (lines, isNeeded): ([String], Bool) = update { state in
      state.lostLookCount = isHeldUp || state.isMainActorAsked ? state.lostLookCount + 1 : 0
      if state.lostLookCount > 0 && lookInterval * state.lostLookCount < Self.holdupLimit {
        return ([], true)
      }
      let lines = state.losePatience(after: settlingTimeout)
      let waiting = [state.settling].compactMap(\.self) + state.expectations.values
      state.isWatched = waiting.contains(where: \.isWatched)
      return (lines, state.isWatched)
    }
    for line in lines { report(line) }
    return isNeeded
  }

  /// Fails the test for what was given up. Called on the task of the test, mostly, which moves the clock.
  func reportFailures() {
    let failures = state.withLock { state -> [String] in
      defer { state.failures = [] }
      return state.failures
    }
    for failure in failures { fail(failure) }
  }
}
