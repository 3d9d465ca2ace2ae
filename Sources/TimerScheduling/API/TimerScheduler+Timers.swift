public import TimerSchedulingFoundation

extension TimerScheduler {
  /// Returns a repeating timer to control, and to listen to any number of times.
  ///
  /// The timer starts with this call. Without a name it ends when its last handle and listener are gone. With a name it
  /// lives on until it is cancelled or replaced or its last tick was taken. It also ends with its owner. Without
  /// listeners it fires at most once and keeps that tick for the first listener.
  ///
  /// ```swift
  /// let timer = scheduler.timer(every: .seconds(1))
  /// for await tick in timer.firings {
  ///   print(tick.index, tick.date)
  ///   if tick.index == 2 { timer.cancel() }
  /// }
  /// ```
  /// ```text
  /// 0 2001-01-01 00:00:01 +0000
  /// 1 2001-01-01 00:00:02 +0000
  /// 2 2001-01-01 00:00:03 +0000
  /// ```
  ///
  /// The parameters are those of
  /// ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Returns: A handle on the timer.
  /// - Precondition: `interval` is greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative.
  /// - Complexity: O(1).
  public nonisolated func timer(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return timer(on: schedule, name: name, owner: owner)
  }

  /// Returns a repeating timer to control and to listen to, with the interval in seconds.
  ///
  /// Works like ``timer(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Precondition: `seconds` is finite and greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative.
  @_disfavoredOverload
  public nonisolated func timer(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(seconds, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return timer(on: schedule, name: name, owner: owner)
  }

  /// Returns a timer of a schedule to control, and to listen to any number of times.
  ///
  /// Works like ``timer(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func timer(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer {
    driver.makeTimer(
      on: schedule, name: name, owner: owner, lifetime: .ofHandle(named: name), hold: ScheduledTimer.init)
  }
}

extension TimerEntry.Lifetime {
  static func ofHandle(named name: String?) -> Self { name == nil ? .handles : .untilEnded }
}
