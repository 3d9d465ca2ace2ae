#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A timer to hold, to control, and to listen to.
///
/// Controlling a timer is synchronous and has taken effect when the call returns. It may be done from any
/// thread, from a `deinit` and from the timer's own action, in any order and as often as one likes: what
/// makes no sense in the timer's state does nothing. After ``cancel()`` or ``pause()`` no tick leaves the
/// timer, not even one that had fired and was waiting to be taken.
///
/// ```swift
/// let timer = scheduler.timer(on: .every(.seconds(1)), name: "clock")
/// Task {
///   for await date in timer.ticks { await metrics.flush(at: date) }
/// }
/// timer.pause()
/// timer.resume()
/// timer.cancel()
/// ```
///
/// A timer from ``TimerScheduler/timer(on:name:)`` without a name ends when its handles and listeners are
/// gone. With a name it lives on, as does a timer with an action, until it is ended.
///
/// Two handles are equal if they are of the same timer.
public final class ScheduledTimer: Sendable, Identifiable {
  let entry: TimerEntry
  /// Keeps the timer alive on a clock that can be dropped while it lives.
  private let lifeline: Lifeline?

  init(_ entry: TimerEntry) {
    self.entry = entry
    lifeline = entry.driver.lifeline
    entry.holdHandle()
  }

  deinit {
    entry.releaseHandle()
  }

  /// What stands for the timer.
  public var id: ID { entry.identifier }

  /// The name under which the timer was made.
  public var name: String? { entry.name }

  // MARK: Listening

  /// The dates of the timer's ticks. Each access is a new listener.
  ///
  /// Every listener gets every tick that falls due while it listens, as far as it keeps up; for each one by
  /// itself the schedule says what becomes of ticks it misses. The first listener of a timer also gets the
  /// newest tick from before. The stream finishes when the timer does, or its consuming task is cancelled,
  /// which doesn't end the timer.
  ///
  /// An `AsyncStream` takes an element on a thread of its own and then hands it to its consumer. A tick
  /// that has been taken when the timer is cancelled may still be seen. In ``firings`` it isn't.
  public var ticks: AsyncStream<Date> { TickListener.stream(of: entry) }

  /// The timer's ticks with their details. Each access is a new listener.
  ///
  /// A tick is taken on the consumer's own isolation: a loop on the main actor sees none after the main
  /// actor has cancelled or paused the timer.
  public var firings: TimerFirings { TimerFirings(TickListener(to: entry)) }

  // MARK: Control

  /// Stops the timer until it is resumed.
  ///
  /// A tick that waits to be taken is kept for then.
  public func pause() {
    entry.pause()
  }

  /// Lets a paused timer go on, by default with the time that was left.
  ///
  /// Does nothing for a timer that isn't paused. While a scope of ``withPaused(_:)`` lasts, the timer stays
  /// paused until its end.
  public func resume(_ behavior: ResumeBehavior = .keepingRemainingTime) {
    entry.resume(behavior)
  }

  /// Ends the timer.
  ///
  /// The task of an action that is running is cancelled. ``cancelAndWait()`` waits for it.
  ///
  /// - Returns: Whether the timer had not finished before.
  @discardableResult
  public func cancel() -> Bool {
    entry.finish(.cancelled)
  }

  /// Ends the timer, and waits for a running action to return.
  ///
  /// When it returns, everything the action has captured has been released.
  ///
  /// From inside that run of the action, and from tasks that the run has made while it lasts, this returns at once. So
  /// it does from inside the run of another action where the two would wait for each other, directly or by way of
  /// further actions: the wait that would close the circle isn't made.
  public func cancelAndWait() async {
    entry.finish(.cancelled)
    await entry.waitUntilQuiet()
  }

  /// Ticks now, and leaves the schedule as it is.
  ///
  /// For a timer of one tick, this is the one. A paused or finished timer does nothing.
  public func fire() {
    entry.fireByHand()
  }

  /// Gives the timer another schedule, counted from now.
  ///
  /// Listeners, action, name and owner stay. A tick that waits to be taken is dropped, and a paused timer
  /// stays paused, with all of the new schedule before it. The limit of the schedule counts ticks from now.
  /// Does nothing for a timer that has finished, or that is a countdown's. A timer of one tick hasn't finished before its
  /// action has returned, so a schedule that it is given during the run has the action run again.
  ///
  /// ```swift
  /// // An idle timeout that every request restarts.
  /// let timeout = scheduler.schedule(.after(.seconds(30))) { _ in await session.end() }
  /// for await request in session.requests {
  ///   timeout.reschedule(.after(.seconds(30)))
  ///   await session.handle(request)
  /// }
  /// ```
  ///
  /// - Returns: Whether the timer has the schedule: false if it has finished, or is a countdown's.
  /// - Complexity: O(1), and one call of a rule.
  @discardableResult
  public func reschedule(_ schedule: TimerSchedule) -> Bool {
    entry.reschedule(schedule)
  }

  // MARK: State

  /// Whether the timer is scheduled, paused or finished, and why.
  ///
  /// To ask ends a timer whose owner is gone, if the scheduler hasn't noticed yet.
  public var state: State { entry.state }

  /// When the next deadline is due.
  ///
  /// Nil for a paused or finished timer, and for one on a rule that has yet to be asked.
  public var nextDate: Date? { entry.nextDate }

  /// The time until the next deadline. For a paused timer, the time that was left.
  ///
  /// Nil for a finished timer, and for one on a rule that has yet to be asked.
  public var remainingTime: Duration? { entry.remainingTime?.duration }

  /// The next dates on which deadlines are due, up to `count` of them.
  ///
  /// Fewer if the timer ends before, and none while it is paused. They are those of a timer whose ticks are taken in time,
  /// with their jitter. A rule is asked for its dates.
  ///
  /// - Precondition: `count` isn't negative.
  /// - Complexity: O(*count*), and as many calls of a rule.
  public func nextDates(_ count: Int) -> [Date] { entry.nextDates(count) }

  /// The timer's schedule, with the tolerance that the timer has from its scheduler where it has none of its own.
  ///
  /// A timer keeps what it needs to go on. So a repeating timer says its interval, and not how it was to start; a limit
  /// counts from the first tick of all. Nil for a delay, of which only ``nextDate`` is kept, and once nothing is left.
  public var schedule: TimerSchedule? { entry.schedule }

  /// Whether the timer is paused.
  public var isPaused: Bool { state == .paused }

  /// What the action last threw.
  public var failure: (any Error)? { entry.failure }

  /// Waits until the timer has finished, and returns why.
  ///
  /// When it returns a reason, the timer has released its action with everything that the action has captured, but for
  /// a run that is still under way. Returns nil if the calling task is cancelled first. A limit counts ticks that are taken, so a timer that
  /// nobody listens to doesn't reach it. As with ``state``, to ask ends a timer whose owner is gone.
  @discardableResult
  public func waitUntilFinished() async -> FinishReason? {
    await entry.waitForEnd(quiet: false)
  }

  /// Pauses the timer while `body` runs, whichever way it ends.
  ///
  /// Scopes may nest and overlap: the timer goes on with the time that was left when the last one has ended,
  /// unless ``pause()`` was called meanwhile or before.
  ///
  /// ```swift
  /// try await timer.withPaused {
  ///   try await database.migrate()
  /// }
  /// ```
  public nonisolated(nonsending) func withPaused<R, E: Error>(
    _ body: nonisolated(nonsending) () async throws(E) -> R
  ) async throws(E) -> R {
    entry.beginPausingScope()
    defer { entry.endPausingScope() }
    return try await body()
  }
}

extension ScheduledTimer: Hashable {
  /// Whether two handles are of the same timer.
  public static func == (left: ScheduledTimer, right: ScheduledTimer) -> Bool {
    left.entry === right.entry
  }

  /// Feeds what stands for the timer into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entry.id)
  }
}
