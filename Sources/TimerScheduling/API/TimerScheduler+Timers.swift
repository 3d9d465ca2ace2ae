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
  ///   await metrics.flush(at: tick.date)
  ///   if tick.index == 2 { timer.cancel() }
  /// }
  /// ```
  ///
  /// The parameters and preconditions are those of
  /// ``ticks(every:starting:tolerance:missedTicks:limit:name:owner:)-(Duration,_,_,_,_,_,_)``.
  ///
  /// - Returns: A handle on the timer.
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
  ///
  /// - Precondition: `seconds` is finite and greater than zero.
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
    driver.makeTimer(
      on: schedule, name: name, owner: owner, endsUnheld: name == nil, hold: ScheduledTimer.init)
  }
}
