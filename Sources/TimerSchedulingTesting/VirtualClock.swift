package import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that stands still until a test moves it.
///
/// Schedulers made with ``TimerScheduling/TimerScheduler/init(clock:configuration:)`` take the time from it. They are
/// otherwise the production ones, and any number of them may share a clock.
///
/// ```swift
/// let clock = VirtualClock()
/// let scheduler = TimerScheduler(clock: clock)
/// scheduler.schedule(.every(.seconds(60))) { _ in await cache.refresh() }
/// await clock.advance(by: .seconds(180))
/// // The cache has been refreshed three times.
/// ```
///
/// ``advance(by:)`` goes from deadline to deadline. At each it waits until those who have got a tick have asked
/// for the next or ended, and until actions have returned, so that a test needs neither to sleep nor to
/// yield. A task that waits for the clock, as in ``sleep(until:tolerance:)``, isn't waited for. Neither is the task
/// that moves the clock. An action, or a task of `addTask`, may make other tasks and wait for them: then the clock waits
/// until none of these has anything to do, and one of them waits for the clock.
///
/// Some consumers may never ask: those of a stream that was never iterated, or a plain task that holds a tick. The clock
/// waits for them in real time, but no longer than the settling timeout. Then it prints a line that names the timer, once,
/// and goes on without them until they ask again. ``waitForConsumers(_:limit:)`` lets a test say what it expects instead,
/// and `addTask` starts tasks whose end is known. An action or an added task that neither ends nor waits for the clock
/// within the settling timeout fails the test.
///
/// The clock doesn't wait for what a plain task does after its loop has ended: await the task before looking.
///
/// To know the tasks that others make, a clock takes over the jobs of Swift's global executor, for all of the process, by
/// the hook that the runtime of Swift's concurrency has for tools. Where there is none, such tasks aren't known, and a
/// participant that waits for them costs a settling timeout.
///
/// A scheduler doesn't hold its clock. When a test drops its clock, live timers and what they have captured are released
/// with it. A scheduler or a handle that the test still holds goes on as before, in a time that stands still. A loop
/// that waits for a tick ends once its scheduler is released. An action that captures the clock keeps it, as does
/// a waiting task that captures the scheduler: cancel the timer or the task, or capture it weakly.
public final class VirtualClock: Sendable {
  /// The part of the clock that its schedulers share.
  let core: VirtualClockCore

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - date: What the wall clock shows.
  ///   - settlingTimeout: How long to wait in real time, at most, for consumers that may never ask for a tick, and for
  ///     actions and added tasks. With zero, the clock waits for none at all.
  ///   - onFailure: How to fail the test when the clock goes on without an action or an added task, or when what
  ///     ``waitForConsumers(_:limit:)`` waits for hasn't come. It is called on the task that waits. By default an issue of
  ///     Swift Testing is recorded on Linux, and a line is printed elsewhere.
  public convenience init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration = .seconds(1),
    onFailure: (@Sendable (String) -> Void)? = nil
  ) {
    self.init(
      date: date, settlingTimeout: settlingTimeout, stepPerReading: .zero, report: { print($0) },
      fail: onFailure ?? TestFailure.record)
  }

  /// Creates a clock that moves on by a step each time it is read, as real clocks do.
  package init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration,
    stepPerReading: Duration = .zero, report: @escaping @Sendable (String) -> Void,
    fail: (@Sendable (String) -> Void)? = nil
  ) {
    core = VirtualClockCore(
      date: date, settlingTimeout: settlingTimeout, stepPerReading: stepPerReading, report: report,
      fail: fail ?? report)
  }

  deinit {
    core.abandon()
  }

  // MARK: The time

  /// What the wall clock shows.
  public var date: Date { Date(read().wall) }

  package func read() -> ClockReading { core.read() }

  /// Lets time pass, and delivers nothing.
  package func letPass(_ duration: Duration) {
    core.state.withLock { $0.time.pass(Interval(duration)) }
  }

  /// How often schedulers were woken.
  package var wakeupCount: Int { core.state.withLock { $0.time.wakeupCount } }

  /// The number of visits of schedulers to which work was posted.
  package var visitCount: Int { core.state.withLock { $0.visitCount } }

  /// The number of times that a wakeup was looked at, to find those that are due.
  package var lookCount: Int { core.state.withLock { $0.time.lookCount } }

  /// How many wakeups are asked for.
  package var armedCount: Int { core.state.withLock { $0.time.armedCount } }
}
