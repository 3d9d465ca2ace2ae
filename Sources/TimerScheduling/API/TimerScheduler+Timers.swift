extension TimerScheduler {
  /// Returns a timer to control, and to listen to any number of times.
  ///
  /// The timer starts with this call. Without a name it ends when its last handle and listener are gone; with a name
  /// it lives on until it is cancelled or replaced or its last tick was taken. Without listeners it fires at most
  /// once and keeps that tick for the first listener.
  ///
  /// ```swift
  /// let timer = scheduler.timer(on: .every(.seconds(1)))
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
  /// - Parameters:
  ///   - schedule: The times at which to tick.
  ///   - name: A name, unique within the scheduler; the empty string is a name, too. The previous timer of this name
  ///     is ended as replaced before this returns.
  /// - Returns: A handle on the timer.
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func timer(on schedule: TimerSchedule, name: String? = nil) -> ScheduledTimer {
    context.makeTimer(on: schedule, name: name, lifetime: .ofHandle(named: name), hold: ScheduledTimer.init)
  }

  /// Returns a timer to control and to listen to that ends with an object at the latest.
  ///
  /// Works like ``timer(on:name:)``. The owner is held weakly, and the name is unique among its timers.
  public nonisolated func timer(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable
  ) -> ScheduledTimer {
    context.makeTimer(
      on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .ofHandle(named: name),
      hold: ScheduledTimer.init)
  }
}

extension TimerEntry.Lifetime {
  static func ofHandle(named name: String?) -> Self { name == nil ? .handles : .untilEnded }
}
