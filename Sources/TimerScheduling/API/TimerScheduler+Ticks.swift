#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerScheduler {
  /// Returns a stream that yields the date of each tick of a repeating timer.
  ///
  /// The timer starts with this call: deadlines are counted from here, or as `start` says, and a slow tick
  /// doesn't shift the ones after it. Deadlines that pass while a tick is waiting to be taken are handled as
  /// `missedTicks` says, and don't wake the process.
  ///
  /// The timer ends, and the stream finishes, when the consuming task is cancelled, when the stream and
  /// its iterators are discarded, when `limit` ticks were taken, or when another timer takes its name.
  /// No tick is delivered after that. A stream is for one consumer.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: .seconds(60), tolerance: .seconds(5)) {
  ///   await cache.evict(olderThan: date)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between deadlines, to the nanosecond.
  ///   - start: The time of the first tick.
  ///   - tolerance: The longest delay of a tick, which lets timers fire together, or nil for the scheduler's default.
  ///   - missedTicks: The treatment of deadlines that pass before their tick is taken.
  ///   - limit: The number of ticks, or nil for no end.
  ///   - name: A name, unique within the scheduler; the empty string is a name, too. The previous timer of this name
  ///     is ended as replaced before this returns.
  /// - Returns: A stream that holds at most the newest tick.
  /// - Precondition: `interval` is greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative.
  /// - Complexity: O(1).
  public nonisolated func ticks(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil
  ) -> AsyncStream<Date> {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return ticks(on: schedule, name: name)
  }

  /// Returns a stream that yields the date of each tick of a repeating timer, with the interval in seconds.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:)-(Duration,_,_,_,_,_)``.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: 0.5) {
  ///   await metrics.flush(at: date)
  /// }
  /// ```
  ///
  /// - Precondition: `seconds` is finite and greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative. For numbers that aren't literals, use
  ///   ``TimerSchedule/init(validatingEvery:starting:)-(TimeInterval,_)``.
  @_disfavoredOverload
  public nonisolated func ticks(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil
  ) -> AsyncStream<Date> {
    let schedule = TimerSchedule.every(seconds, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return ticks(on: schedule, name: name)
  }

  /// Returns a stream that yields the date of each tick of a schedule.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:)-(Duration,_,_,_,_,_)``, and the timer also
  /// ends with the last date of the schedule.
  ///
  /// ```swift
  /// let midnight = TimerSchedule.every(.seconds(86_400), starting: .aligned)
  /// for await date in scheduler.ticks(on: midnight, name: "report") {
  ///   await report.rotate(at: date)
  /// }
  /// ```
  ///
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func ticks(on schedule: TimerSchedule, name: String? = nil) -> AsyncStream<Date> {
    context.makeTimer(on: schedule, name: name, lifetime: .stream, hold: TickListener.stream)
  }
}

// MARK: With an owner

extension TimerScheduler {
  /// Returns a stream that yields the date of each tick of a repeating timer, for as long as an object lives.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:)-(Duration,_,_,_,_,_)``, and the timer also
  /// ends with `owner`, which is held weakly: it delivers no tick after its owner's release, and is removed at its next
  /// deadline or within the configuration's ``Configuration/ownerCheckInterval``. The name is unique among the owner's
  /// timers.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: .seconds(60), owner: cache) {
  ///   await metrics.flush(at: date)
  /// }
  /// ```
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
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Precondition: `seconds` is finite and greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative.
  @_disfavoredOverload
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
  /// Works like ``ticks(on:name:)``, and the timer also ends with `owner`, which is held weakly. The name is unique
  /// among the owner's timers.
  public nonisolated func ticks(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable
  ) -> AsyncStream<Date> {
    context.makeTimer(
      on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .stream,
      hold: TickListener.stream)
  }
}

extension TimerSchedule {
  /// Returns the schedule with the options of a call.
  func modified(
    tolerance: Duration?, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil
  ) -> TimerSchedule {
    var schedule = self.missedTicks(missedTicks)
    if let tolerance { schedule = schedule.tolerance(tolerance) }
    if let limit { schedule = schedule.limit(limit) }
    return schedule
  }
}
