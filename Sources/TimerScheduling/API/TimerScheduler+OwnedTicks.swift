#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerScheduler {
  /// Returns a stream that yields the date of each tick of a repeating timer, for as long as an object lives.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:)-(Duration,_,_,_,_,_)``, and the timer also
  /// ends with `owner`: it delivers no tick after its owner's release, and is removed at its next deadline or within
  /// the configuration's ``Configuration/ownerCheckInterval``.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: .seconds(60), owner: cache) {
  ///   await metrics.flush(at: date)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between deadlines, to the nanosecond.
  ///   - start: The time of the first tick.
  ///   - tolerance: The longest delay of a tick, or nil for the scheduler's default.
  ///   - missedTicks: The treatment of deadlines that pass before their tick is taken.
  ///   - limit: The number of ticks, or nil for no end.
  ///   - name: A name, unique among the owner's timers.
  ///   - owner: The object with which the timer ends. It is held weakly.
  /// - Returns: A stream that holds at most the newest tick.
  /// - Precondition: `interval` is greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative.
  /// - Complexity: O(1).
  public nonisolated func ticks(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable
  ) -> AsyncStream<Date> {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return ticks(on: schedule, name: name, owner: owner)
  }

  /// Returns a stream that yields the date of each tick of a repeating timer, with the interval in seconds,
  /// for as long as an object lives.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: 0.5, owner: cache) {
  ///   await metrics.flush(at: date)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - seconds: The time between deadlines, to the nanosecond.
  ///   - start: The time of the first tick.
  ///   - tolerance: The longest delay of a tick, or nil for the scheduler's default.
  ///   - missedTicks: The treatment of deadlines that pass before their tick is taken.
  ///   - limit: The number of ticks, or nil for no end.
  ///   - name: A name, unique among the owner's timers.
  ///   - owner: The object with which the timer ends. It is held weakly.
  /// - Returns: A stream that holds at most the newest tick.
  /// - Precondition: `seconds` is finite and greater than zero; a delay in `start`, `tolerance` and
  ///   `limit` aren't negative.
  /// - Complexity: O(1).
  public nonisolated func ticks(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable
  ) -> AsyncStream<Date> {
    let schedule = TimerSchedule.every(seconds, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return ticks(on: schedule, name: name, owner: owner)
  }

  /// Returns a stream that yields the date of each tick of a schedule, for as long as an object lives.
  ///
  /// - Parameters:
  ///   - schedule: The times at which to tick.
  ///   - name: A name, unique among the owner's timers. The previous timer of this name is ended as replaced before
  ///     this returns.
  ///   - owner: The object with which the timer ends. It is held weakly.
  /// - Returns: A stream that holds at most the newest tick.
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func ticks(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable
  ) -> AsyncStream<Date> {
    context.makeTimer(
      on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .stream,
      hold: TickListener.stream)
  }
}
