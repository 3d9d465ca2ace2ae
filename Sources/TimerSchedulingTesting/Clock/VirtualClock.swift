import Synchronization
package import TimerScheduling
public import TimerSchedulingFoundation

/// A clock that stands still until a test moves it.
///
/// Schedulers made with ``TimerScheduling/TimerScheduler/init(clock:configuration:)`` take their time from
/// this clock. Otherwise they work as in production. Any number of schedulers may share a clock. In the body
/// of ``withVirtualClock(date:limit:timeout:onFailure:fileID:filePath:line:column:_:)`` the clock moves by
/// itself.
///
/// ```swift
/// let clock = VirtualClock()
/// let scheduler = TimerScheduler(clock: clock)
/// scheduler.schedule(.every(.seconds(60))) { _ in await cache.refresh() }
/// await clock.advance(by: .seconds(180))
/// // The cache has been refreshed three times.
/// ```
///
/// **Tasks.** The clock runs the jobs of its tasks one at a time, in the order in which they became ready.
/// Its tasks are the task that made the clock, runs of actions and added tasks, with all tasks that these
/// make. Any other task becomes one at its first wait for the clock. On platforms other than Linux, jobs of
/// the main actor and of tasks that yield run beside them, and the clock waits for these jobs.
///
/// **Time.** Time moves when no task has anything to do, and each run and the added tasks have ended or wait.
/// They wait for the clock, for a task that does, for a stream, or for 50 ms of real time for something else.
/// If one is under way for the settling timeout, the test fails at the call that moves the clock, and the
/// clock goes on. A plain task may wait for anything.
///
/// **Timers.** Timers fire only while the clock is moved, even those that are due as soon as they are made. A
/// tick made by `fire()`, a pause, a shutdown and a sleep that is already over happen at once. The clock
/// looks for owners that are gone when a move begins, and when one stops at a deadline. Their timers end one
/// check interval later.
///
/// **Lifetime.** A scheduler doesn't hold its clock. When a test drops its clock, its schedulers shut down,
/// and live timers and their captures are released. An action that captures the clock keeps it alive, as does
/// a waiting task that captures the scheduler.
public final class VirtualClock: Sendable {
  /// The part of the clock that its schedulers share.
  package let core: VirtualClockCore
  /// The place of the call that has made the clock.
  private let madeAt: TestLocation

  /// Creates a clock.
  ///
  /// The calling task becomes one of the clock's tasks, and so do all tasks that it makes from now on. Clocks
  /// made by the clock's tasks share them.
  ///
  /// - Parameters:
  ///   - date: The date that the wall clock shows at first.
  ///   - settlingTimeout: The longest time to wait, in real time, for an action or an added task that neither
  ///     ends nor waits for the clock. With zero, the clock waits for none of them.
  ///   - onFailure: Fails the test with a message, on the task that moves the clock or waits. By default an
  ///     issue of Swift Testing is recorded on Linux, at the place of the call that waits, and a line is
  ///     printed elsewhere.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `date` is a number, and `settlingTimeout` isn't negative.
  public convenience init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration = .seconds(1),
    onFailure: (@Sendable (String) -> Void)? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    Deadline.requireShown(date)
    self.init(
      date: date, settlingTimeout: settlingTimeout, stepPerReading: .zero,
      report: { StandardError.print($0) },
      fail: onFailure, madeAt: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Creates a clock that moves forward by a step each time it is read, as real clocks do.
  package convenience init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration,
    stepPerReading: Duration = .zero, report: @escaping @Sendable (String) -> Void,
    fail: (@Sendable (String) -> Void)? = nil
  ) {
    self.init(
      date: date, settlingTimeout: settlingTimeout, stepPerReading: stepPerReading, report: report,
      fail: fail ?? report,
      madeAt: TestLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column))
  }

  init(
    in world: World? = nil, date: Date, settlingTimeout: Duration, stepPerReading: Duration = .zero,
    report: @escaping @Sendable (String) -> Void, fail: (@Sendable (String) -> Void)?,
    madeAt location: TestLocation
  ) {
    precondition(
      settlingTimeout >= .zero, "A settling timeout must be zero or more, but \(settlingTimeout) was given.")
    let shared = world ?? World.maker?.world
    let isOwn = world == nil
    let world = shared ?? World(settlingTimeout: settlingTimeout, report: report)
    madeAt = location
    core = VirtualClockCore(
      in: world, date: date, settlingTimeout: settlingTimeout, stepPerReading: stepPerReading, report: report
    ) { message, location in
      if let fail { fail(message) } else { location.fail(message) }
    }
    // The task that makes a clock is one of the clock's tasks, unless it makes the clock of a body.
    if isOwn { world.currentMember(isMaker: shared == nil) }
  }

  deinit {
    core.world.clockEnded(core)
    core.reportFailures(at: madeAt)
  }

  // MARK: The time

  /// The date that the wall clock shows.
  public var date: Date { Date(read().wall) }

  package func read() -> ClockReading { core.read() }

  /// Lets time pass without delivering anything.
  package func letPass(_ duration: Duration) {
    core.state.withLock { $0.time.pass(Interval(duration)) }
  }

  /// The number of wakeups of schedulers.
  package var wakeupCount: Int { core.state.withLock { $0.wakeupCount } }

  /// The number of times an event was examined in the search for those that are due.
  package var lookCount: Int { core.state.withLock { $0.time.lookCount } }

  /// The number of armed wakeups.
  package var armedCount: Int { core.state.withLock { $0.time.count(of: .wakeup) } }

  /// The number of times the clock stopped waiting for a task and went on. Each took a settling timeout of
  /// real time.
  package var settlingTimeoutCount: Int { core.settlingTimeoutCount.load(ordering: .relaxed) }

  /// The number of pieces of work that the clock's tasks have had.
  package var workCount: UInt64 { core.world.state.withLock { $0.progress } }
}
