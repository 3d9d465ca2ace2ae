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
/// yield. Whoever waits for the clock, be it in ``sleep(until:tolerance:)``, isn't waited for. Neither is the task
/// that moves the clock.
///
/// Of some consumers nobody can tell whether they will ask: of a stream that was never asked, of a tick that is
/// held. They are waited for in real time, but no longer than the settling timeout. Then the clock prints a
/// line that names the timer, once, and goes on without them until they ask again. ``waitForConsumers(_:)`` lets
/// a test say what it expects instead, and `addTask(_:)` starts tasks whose end is known.
///
/// What isn't waited for is what a plain task does after its loop has ended: await the task before looking.
public final class VirtualClock: Sendable {
  struct State {
    var time: VirtualTime
    var attendance = Attendance()
    var schedulers: [SchedulerReference] = []
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

    mutating func makeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  /// Guards the time, what is to happen in it, and who waits and who is busy.
  let state: Lock<State>
  let settlingTimeout: Duration
  /// Where lines are printed.
  let report: @Sendable (String) -> Void
  private let stepPerReading: Interval

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - date: What the wall clock shows.
  ///   - settlingTimeout: How long to wait in real time, at most, for consumers of whom nobody can tell
  ///     whether they will ask for a tick. With zero, no consumer is waited for at all.
  public convenience init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration = .seconds(1)
  ) {
    self.init(date: date, settlingTimeout: settlingTimeout) { print($0) }
  }

  /// Creates a clock that moves on by a step each time it is read, as real clocks do.
  package init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), settlingTimeout: Duration,
    stepPerReading: Duration = .zero, report: @escaping @Sendable (String) -> Void
  ) {
    self.settlingTimeout = settlingTimeout
    self.report = report
    self.stepPerReading = Interval(stepPerReading)
    state = Lock(State(time: VirtualTime(date: date)))
  }

  // MARK: The time

  /// What the wall clock shows.
  public var date: Date { Date(read().wall) }

  package func read() -> ClockReading {
    state.withLock { state in
      if stepPerReading > .zero { state.time.pass(stepPerReading) }
      return state.time.now
    }
  }

  /// Lets time pass, and delivers nothing.
  package func letPass(_ duration: Duration) {
    state.withLock { $0.time.pass(Interval(duration)) }
  }

  /// How often schedulers were woken.
  package var wakeupCount: Int { state.withLock(\.time.wakeupCount) }

  /// How many wakeups are asked for.
  package var armedCount: Int { state.withLock(\.time.armedCount) }
}
