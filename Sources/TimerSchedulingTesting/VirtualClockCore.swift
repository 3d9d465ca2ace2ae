package import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The part of a virtual clock that schedulers hold.
///
/// Schedulers don't hold the ``VirtualClock`` itself, so a test that drops it releases it. The clock then releases
/// the lifelines held here. A scheduler that a test still holds remains usable, but its time stands still.
package final class VirtualClockCore: Sendable {
  struct State: ~Copyable {
    var time: VirtualTime
    var attendance = Attendance()
    var schedulers: [SchedulerReference] = []
    /// The number of schedulers above which references of released ones are removed.
    var mostSchedulers = 16
    /// The schedulers whose timers have owners that must be checked, by the numbers of their executors.
    var owned: [UInt64: SchedulerReference] = [:]
    /// The executors to which work was posted since their last visit, by number.
    var busyExecutors: [UInt64: QueueExecutor] = [:]
    /// The number of visits of executors.
    var visitCount = 0
    /// The expectation of the task that moves the clock while it waits until all tasks have settled.
    var settling: Expectation?
    /// The expectations of tasks that wait for consumers, sleepers or a scheduler's runs, by number.
    var expectations: [UInt64: Expectation] = [:]
    /// The number of noted events at which the tasks were last found at rest in the present move.
    var verifiedNoteCount: UInt64?
    /// The number of rounds in which the clock has waited for jobs of the process.
    var roundCount = 0
    var isWatched = false
    /// Whether a job was sent to the main actor, to see if it responds, and hasn't run yet.
    var isMainActorAsked = false
    /// The number of successive looks that didn't count.
    var lostLookCount = 0
    /// Messages that fail the test and haven't been reported yet.
    var failures: [String] = []
    /// The number of times the clock stopped waiting for a task and went on.
    var settlingTimeoutCount = 0
    /// The subjects about which a line was printed.
    var reported: Set<Attendance.Outstanding.Subject> = []
    var isMoving = false
    /// The number of changes of timers under way.
    var changeCount = 0
    var turns: [CheckedContinuation<Void, Never>] = []
    var lastNumber: UInt64 = 0
    /// The lifelines of schedulers that have live timers.
    var held: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    /// Whether the clock was released. Then no lifeline is held.
    var isAbandoned = false

    /// Whether tasks that seem to be at rest may be about to run. They aren't if nothing has happened since a look.
    var isToBeVerified: Bool { attendance.isToBeVerified && verifiedNoteCount != attendance.noteCount }

    mutating func makeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  /// Guards the time, the events due in it, and which tasks are waiting or busy.
  let state: Lock<State>
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  /// Fails the test.
  let fail: @Sendable (String) -> Void
  /// The longest real time that a task waits for a scheduler's runs while time stands still.
  let shutdownLimit: Duration
  private let stepPerReading: Interval

  init(
    date: Date, settlingTimeout: Duration, shutdownLimit: Duration, stepPerReading: Duration,
    report: @escaping @Sendable (String) -> Void, fail: @escaping @Sendable (String) -> Void
  ) {
    JobTracker.install()
    self.settlingTimeout = settlingTimeout
    self.shutdownLimit = shutdownLimit
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

  /// Releases the held lifelines. From now on none is held.
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

  /// Makes a change under the lock. Then, outside it, calls `beforeResuming` with the result, and resumes the tasks
  /// whose expectations the change has fulfilled.
  func update<Result: Sendable>(
    _ change: (inout State) -> Result, beforeResuming: (Result) -> Void = { _ in }
  ) -> Result {
    let (result, fulfilled) = state.withLock { state -> (Result, [Expectation]) in
      let result = change(&state)
      return (result, state.takeFulfilled())
    }
    beforeResuming(result)
    for expectation in fulfilled { expectation.resume() }
    return result
  }

  // MARK: Timeouts

  /// The time between two looks. Without a settling timeout, `waitForConsumers` and `waitForSleepers` still have a
  /// limit.
  var lookInterval: Duration { (settlingTimeout > .zero ? settlingTimeout : .seconds(1)) / 10 }

  /// Starts a task that checks regularly whether anything takes too long.
  ///
  /// It looks ten times in a settling timeout. A look doesn't count if since the previous one the main actor didn't
  /// finish a job or a job found no free thread, as when other tests block theirs. A clock has one such task, which
  /// ends when nothing is waited for; most waits last microseconds.
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

  /// Sends the main actor a job that shows it responds, unless an earlier one hasn't run yet.
  private func askMainActor() {
    let isAsked = state.withLock { state in
      defer { state.isMainActorAsked = true }
      return state.isMainActorAsked
    }
    guard !isAsked else { return }
    Task { @MainActor [weak self] in self?.state.withLock { $0.isMainActorAsked = false } }
  }

  /// The longest time to wait for a blocked main actor or thread pool, as a program may never run its main actor.
  static let holdupLimit = Duration.seconds(60)

  /// Stops waiting for tasks that have taken too long, and reports them. Returns whether anything is still waited for.
  private func look(isHeldUp: Bool) -> Bool {
    let result = update { state -> (lines: [String], isNeeded: Bool) in
      state.lostLookCount = isHeldUp || state.isMainActorAsked ? state.lostLookCount + 1 : 0
      if state.lostLookCount > 0 && lookInterval * state.lostLookCount < Self.holdupLimit {
        return ([], true)
      }
      let lines = state.giveUpLate(after: settlingTimeout)
      let waiting = [state.settling].compactMap(\.self) + state.expectations.values
      state.isWatched = waiting.contains(where: \.isWatched)
      return (lines, state.isWatched)
    } beforeResuming: { result in
      // A test that is resumed finds the lines.
      for line in result.lines { report(line) }
    }
    return result.isNeeded
  }

  /// Fails the test with the messages kept so far. It is mostly called on the test's task, which moves the clock.
  func reportFailures() {
    let failures = state.withLock { state -> [String] in
      defer { state.failures = [] }
      return state.failures
    }
    for failure in failures { fail(failure) }
  }
}
