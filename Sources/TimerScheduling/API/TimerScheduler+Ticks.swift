public import TimerSchedulingFoundation

extension TimerScheduler {
  /// Returns a stream that yields the date of each tick of a repeating timer.
  ///
  /// The timer starts with this call. Deadlines are counted from here, or as `start` says, so a slow tick
  /// doesn't shift later ones. Deadlines that pass while a tick waits to be taken are handled as
  /// `missedTicks` says, and don't wake the process.
  ///
  /// The timer ends when the consuming task is cancelled, the stream and its iterators are discarded, or
  /// `limit` ticks were taken. It also ends with its owner, or when another timer takes its name. The stream,
  /// which is for one consumer, then finishes without a further tick.
  ///
  /// ```swift
  /// for await date in scheduler.ticks(every: .seconds(60)) { await cache.evict(olderThan: date) }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The time between deadlines, to the nanosecond.
  ///   - start: The time of the first tick.
  ///   - tolerance: The longest delay of a tick, or nil for the default. It lets timers fire together.
  ///   - missedTicks: The treatment of deadlines that pass before their tick is taken.
  ///   - limit: The number of ticks, or nil for no end.
  ///   - name: A name, perhaps empty, unique among the timers of the owner, or those without one. The
  ///     previous timer of this name is ended as replaced before this returns.
  ///   - owner: An object that is held weakly. After its release no tick is delivered. The timer is removed
  ///     at its next deadline or within ``Configuration/ownerCheckInterval``.
  /// - Returns: A stream that holds at most the newest tick.
  /// - Precondition: `interval` is finite and greater than zero. No delay, tolerance or limit is negative.
  ///   See ``TimerSchedule/init(validatingEvery:starting:)-(TimeInterval,_)`` for other numbers.
  /// - Complexity: O(1).
  public nonisolated func ticks(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> AsyncStream<Date> {
    ticks(on: .every(interval, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns a stream that yields the date of each tick of a repeating timer, with the interval in seconds.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  @_disfavoredOverload
  public nonisolated func ticks(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> AsyncStream<Date> {
    ticks(on: .every(seconds, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns a stream that yields the date of each tick of a schedule, and ends with the last.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func ticks(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> AsyncStream<Date> {
    driver.makeTimer(on: schedule, name: name, owner: owner, hasStream: true) { OwnListener($0).stream }
  }

  /// Returns the ticks of a repeating timer with their details, for one consumer.
  ///
  /// Works like ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// ```swift
  /// for await tick in scheduler.firings(every: .seconds(1)) { logger.info("late by \(tick.lateness)") }
  /// ```
  public nonisolated func firings(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> TimerFirings {
    firings(
      on: .every(interval, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns the ticks of a repeating timer with their details, with the interval in seconds.
  ///
  /// Works like ``firings(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  @_disfavoredOverload
  public nonisolated func firings(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> TimerFirings {
    firings(
      on: .every(seconds, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns the ticks of a schedule with their details, for one consumer.
  ///
  /// Works like ``ticks(on:name:owner:)``.
  public nonisolated func firings(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> TimerFirings {
    driver.makeTimer(on: schedule, name: name, owner: owner, hasStream: true) { .init(OwnListener($0)) }
  }

  /// Returns a repeating timer to control, and to listen to any number of times.
  ///
  /// The timer starts with this call. Without a name it ends when its last handle and listener are gone; with
  /// a name it lives on. It also ends when it is cancelled or replaced, its last tick was taken, or its owner
  /// is released. Without listeners it fires at most once and keeps that tick for the first listener.
  ///
  /// ```swift
  /// let timer = scheduler.timer(every: .seconds(1))
  /// for await tick in timer.firings {
  ///   await metrics.flush(at: tick.date)
  ///   if tick.index == 2 { timer.cancel() }
  /// }
  /// ```
  ///
  /// Otherwise as ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  public nonisolated func timer(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    timer(on: .every(interval, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns a repeating timer to control and to listen to, with the interval in seconds.
  ///
  /// Works like ``timer(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  @_disfavoredOverload
  public nonisolated func timer(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    timer(on: .every(seconds, starting: start).with(tolerance, missedTicks, limit), name: name, owner: owner)
  }

  /// Returns a timer of a schedule to control, and to listen to any number of times.
  ///
  /// Works like ``timer(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func timer(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    driver.makeTimer(on: schedule, name: name, owner: owner, endsUnheld: name == nil) { ScheduledTimer($0) }
  }
}

extension TimerSchedule {
  func with(_ tolerance: Duration?, _ missedTicks: MissedTickBehavior = .skip, _ limit: Int? = nil) -> Self {
    var schedule = self.missedTicks(missedTicks)
    if let tolerance { schedule = schedule.tolerance(tolerance) }
    if let limit { schedule = schedule.limit(limit) }
    return schedule
  }
}
