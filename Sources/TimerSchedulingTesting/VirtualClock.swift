package import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that stands still until a test moves it.
///
/// Schedulers made with ``TimerScheduling/TimerScheduler/init(clock:configuration:)`` take their time from this
/// clock. Otherwise they work as in production. Any number of schedulers may share a clock.
///
/// ```swift
/// let clock = VirtualClock()
/// let scheduler = TimerScheduler(clock: clock)
/// scheduler.schedule(.every(.seconds(60))) { _ in await cache.refresh() }
/// await clock.advance(by: .seconds(180))
/// // The cache has been refreshed three times.
/// ```
///
/// Timers fire only while the clock is moved, even those that are due as soon as they are made. A tick made
/// by `fire()`, a pause, a shutdown and a sleep that is already over happen at once, as they don't wait for a
/// deadline. If an owner is gone when a move begins or stops at a deadline, its timers end one check interval
/// later; an owner that lives adds no stops.
///
/// ``advance(by:)-(Duration)`` goes from deadline to deadline. At each one it waits until every consumer that received a
/// tick has asked for the next or ended, and until actions have returned, so a test needs neither to sleep nor to yield.
/// It doesn't wait for a task that is itself waiting for the clock, as in ``sleep(until:tolerance:)``, nor for the
/// task that moves the clock. An action, or a task of `addTask`, may create other tasks and wait for them: then the
/// clock waits until none of these tasks has anything to do and one of them waits for the clock.
///
/// Some consumers may never ask for a tick: those of a stream that is never iterated, or a plain task that holds on
/// to a tick. The clock waits for them in real time, at most for the settling timeout. Then it prints one line that
/// names the timer, and goes on without the consumer until the consumer asks again. With
/// ``waitForConsumers(_:limit:)`` a test states which consumers it expects, and `addTask` starts tasks whose end the
/// clock knows. An action or an added task that neither ends nor waits for the clock within the settling timeout
/// fails the test.
///
/// `shutdownAndWait()` waits for actions, and they may be waiting for the clock. If the clock stands still meanwhile,
/// it prints after the settling timeout which timers' actions wait, and for what. After a minute the test fails, and
/// `shutdownAndWait()` returns, except where an action has called it.
///
/// The clock doesn't wait for the code of a plain task after its loop: await the task before checking its results.
///
/// The clock follows the tasks that actions and added tasks create. For that it takes over the jobs of
/// Swift's global executor for the whole process, through the hook that Swift's concurrency runtime has for
/// tools. Without the hook, an action that waits for such tasks costs a settling timeout.
///
/// A scheduler doesn't hold its clock. When a test drops its clock, live timers and their captures are released with
/// it. A scheduler or a handle that the test still holds remains usable, but its time stands still. A loop that waits
/// for a tick ends once its scheduler is released. An action that captures the clock keeps it alive, as does a
/// waiting task that captures the scheduler: cancel the timer or the task, or capture weakly.
public final class VirtualClock: Sendable {
  /// The part of the clock that its schedulers share.
  package let core: VirtualClockCore

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - date: The date that the wall clock shows at first.
  ///   - settlingTimeout: The longest time to wait, in real time, for consumers that may never ask for a tick, and
  ///     for actions and added tasks. With zero, the clock waits for none of them.
  ///   - onFailure: Fails the test when the clock goes on without an action or an added task, or when the consumers
  ///     or sleepers a test waits for, as with ``waitForConsumers(_:limit:)``, haven't come. It is called on the
  ///     waiting task. By default an issue of Swift Testing is recorded on Linux, and a line is printed elsewhere.
  /// - Precondition: `date` is a number, and `settlingTimeout` isn't negative.
  public convenience init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration = .seconds(1),
    onFailure: (@Sendable (String) -> Void)? = nil
  ) {
    self.init(
      date: date, settlingTimeout: settlingTimeout, stepPerReading: .zero, report: { print($0) },
      fail: onFailure ?? TestFailure.record)
  }

  /// Creates a clock that moves forward by a step each time it is read, as real clocks do.
  package init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration,
    shutdownLimit: Duration = .seconds(60), stepPerReading: Duration = .zero,
    report: @escaping @Sendable (String) -> Void, fail: (@Sendable (String) -> Void)? = nil
  ) {
    precondition(
      settlingTimeout >= .zero, "A settling timeout must be zero or more, but \(settlingTimeout) was given.")
    core = VirtualClockCore(
      date: date, settlingTimeout: settlingTimeout, shutdownLimit: shutdownLimit,
      stepPerReading: stepPerReading, report: report, fail: fail ?? report)
  }

  deinit {
    core.abandon()
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
  package var wakeupCount: Int { core.state.withLock { $0.time.wakeupCount } }

  /// The number of visits to schedulers with posted work.
  package var visitCount: Int { core.state.withLock { $0.visitCount } }

  /// The number of times a wakeup was examined in the search for those that are due.
  package var lookCount: Int { core.state.withLock { $0.time.lookCount } }

  /// The number of rounds in which the clock has waited for jobs of the process.
  package var roundCount: Int { core.state.withLock { $0.roundCount } }

  /// The number of armed wakeups.
  package var armedCount: Int { core.state.withLock { $0.time.armedCount } }
}
