public import TimerSchedulingFoundation

/// A handle on a timer, to control it and to listen to it.
///
/// Control calls are synchronous and have taken effect when they return. Make them from any thread, a
/// `deinit` or the timer's own action, in any order and any number of times. A call that doesn't fit the
/// timer's state does nothing. After ``cancel()`` or ``pause()`` no tick comes, not even one that has fired.
///
/// ```swift
/// let timer = scheduler.timer(on: .every(.seconds(1)), name: "clock")
/// Task { for await date in timer.ticks { await metrics.flush(at: date) } }
/// timer.pause()
/// timer.resume()
/// timer.cancel()
/// ```
///
/// A timer from ``TimerScheduler/timer(on:name:owner:)`` without a name ends when its last handle and
/// listener are gone. A timer with a name or an action lives on. All handles of a timer are equal.
public final class ScheduledTimer: Sendable, Identifiable {
  /// The state of a timer.
  public typealias State = TimerState
  /// The reason a timer has finished.
  public typealias FinishReason = TimerFinishReason
  /// Identifies a timer.
  public typealias ID = TimerID

  let entry: TimerEntry

  init(_ entry: TimerEntry) {
    self.entry = entry
    entry.holdHandle()
  }

  deinit { entry.releaseHandle() }

  /// The timer's identifier.
  public var id: TimerID { entry.identifier }

  /// The name under which the timer was made.
  public var name: String? { entry.name }

  /// The dates of the timer's ticks. Each access makes a new listener.
  ///
  /// A listener gets every tick that falls due while it listens; the first also gets the newest tick from
  /// before. A slow listener misses ticks by the schedule's ``MissedTickBehavior``, independently of the
  /// others. The stream finishes with the timer, or alone when its consuming task is cancelled.
  ///
  /// An `AsyncStream` takes an element on a thread of its own. So, unlike with ``firings``, its consumer may
  /// still see a tick that had been taken when the timer was cancelled.
  public var ticks: AsyncStream<Date> { JoinedListener(entry).stream }

  /// The timer's ticks with their details. Each access makes a new listener.
  ///
  /// A tick is taken on the consumer's isolation: none comes after its actor has ended or paused the timer.
  public var firings: TimerFirings { TimerFirings(JoinedListener(entry)) }

  /// Pauses the timer until it is resumed. A tick that is waiting to be taken is kept until then.
  public func pause() { entry.pause() }

  /// Resumes a paused timer, by default with the time that was left.
  ///
  /// Does nothing for a timer that isn't paused. In a ``withPaused(_:)`` scope, the timer stays paused.
  public func resume(_ behavior: ResumeBehavior = .keepingRemainingTime) { entry.resume(behavior) }

  /// Ends the timer, and cancels the task of a running action.
  ///
  /// - Returns: True if this call ended the timer, false if it had already finished.
  @discardableResult
  public func cancel() -> Bool { entry.finish(.cancelled) }

  /// Ends the timer, and waits until a running action has returned and the action's captures are released.
  ///
  /// If waiting would deadlock, this returns at once: inside the timer's own run, and inside a run for which
  /// the timer's run waits, directly or through others. The same holds for tasks that such a run has created,
  /// while it lasts, except detached ones. Otherwise this waits, even if the caller is cancelled.
  public func cancelAndWait() async {
    entry.finish(.cancelled)
    await entry.waitUntilQuiet()
  }

  /// Ticks now, beside the schedule, unless paused or finished. For a timer of one tick, this is that tick.
  public func fire() { entry.fireByHand() }

  /// Gives the timer another schedule, counted from now.
  ///
  /// The timer keeps its listeners, action, name and owner. A tick that is waiting to be taken is dropped. A
  /// paused timer stays paused, with all of the new schedule ahead. A limit counts ticks from now. A timer of
  /// one tick finishes when its tick is taken or, with an action, when the action has returned. If you set a
  /// schedule during its last run, it goes on by that. Instead of a timer that may have ended, make a new one
  /// with the same name.
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
  /// - Returns: True if the timer has the new schedule, false if it has finished or belongs to a countdown.
  /// - Complexity: O(1), plus one call of a rule.
  @discardableResult
  public func reschedule(_ schedule: TimerSchedule) -> Bool { entry.reschedule(schedule) }

  /// The timer's state: scheduled, paused, or finished with a reason.
  ///
  /// Reading `state` ends a timer whose owner is gone, if the scheduler hasn't noticed yet.
  public var state: TimerState { entry.state }

  /// The date of the next deadline. Nil for a paused or finished timer, or if a rule hasn't given it.
  public var nextDate: Date? { entry.nextDate }

  /// The time until the next deadline or, for a paused timer, the time that was left.
  ///
  /// Nil for a finished timer, or while a rule hasn't given the date.
  public var remainingTime: Duration? { entry.remainingTime?.duration }

  /// Returns the dates of the next deadlines, at most `count`.
  ///
  /// There are fewer if the timer ends before, and none while it is paused. The dates include jitter, and
  /// assume that each tick is taken in time. A rule is asked for its dates.
  ///
  /// - Precondition: `count` isn't negative.
  /// - Complexity: O(*count*), plus as many calls of a rule.
  public func nextDates(_ count: Int) -> [Date] { entry.nextDates(count) }

  /// The timer's current schedule, including the scheduler's default tolerance if the schedule sets none, and
  /// without ``TimerSchedule/paused()``, which only says how a timer starts.
  ///
  /// The schedule of a countdown that was extended has the new end. Nil for a single deadline that has
  /// passed, and for a rule once the timer has finished.
  public var schedule: TimerSchedule? { entry.schedule }

  /// Whether the timer is paused.
  public var isPaused: Bool { state == .paused }

  /// The last error the action threw.
  public var failure: (any Error)? { entry.failure }

  /// Waits until the timer has finished, and returns why.
  ///
  /// When this returns a reason, the timer has released its action and the action's captures. A run that
  /// hasn't ended keeps the values that it uses. A limit counts ticks that are taken, so a timer without
  /// listeners doesn't reach it. Like reading ``state``, this ends a timer whose owner is gone.
  ///
  /// Returns nil if the calling task is cancelled first. If waiting would deadlock, this returns nil at once:
  /// inside the timer's last run, and inside a run for which that run waits, directly or through others.
  /// Inside an earlier run, this waits until the timer is ended.
  @discardableResult
  public func waitUntilFinished() async -> TimerFinishReason? { await entry.waitUntilFinished() }

  /// Pauses the timer while `body` runs, and resumes it whether `body` returns or throws.
  ///
  /// Scopes may nest and overlap. When the last one ends, the timer goes on with the time that was left. If
  /// ``pause()`` was called during a scope or before, the timer stays paused.
  ///
  /// ```swift
  /// try await timer.withPaused { try await database.migrate() }
  /// ```
  public nonisolated(nonsending) func withPaused<R, E: Error>(
    _ body: nonisolated(nonsending) () async throws(E) -> R
  ) async throws(E) -> R {
    entry.pause(inScope: true)
    defer { entry.resume(.keepingRemainingTime, endingScope: true) }
    return try await body()
  }
}

extension ScheduledTimer: Hashable, CustomStringConvertible {
  /// Returns whether two handles belong to the same timer.
  public static func == (left: ScheduledTimer, right: ScheduledTimer) -> Bool { left.entry === right.entry }

  /// Hashes the timer's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(entry.id) }

  /// The timer's number, name and state, such as `timer 7 "refresh", paused`.
  public var description: String { description(as: "timer") }

  func description(as kind: String) -> String { "\(kind) \(id)\(name.map { " \"\($0)\"" } ?? ""), \(state)" }
}
