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

// MARK: Ticks with their details

extension TimerScheduler {
  /// Returns the ticks of a schedule with their details.
  ///
  /// The timer starts with this call, and ends as that of ``ticks(on:name:)`` does: with the sequence and its
  /// iterators, named or not.
  ///
  /// ```swift
  /// for await tick in scheduler.firings(on: .every(.seconds(1))) where tick.missedCount > 0 {
  ///   logger.info("missed \(tick.missedCount) before \(tick.scheduledDate)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: The times at which to tick.
  ///   - name: A name, unique within the scheduler; the empty string is a name, too. The previous timer of this name
  ///     is ended as replaced before this returns.
  /// - Returns: A sequence for one consumer.
  /// - Complexity: O(1), plus one call of a rule.
  public nonisolated func firings(on schedule: TimerSchedule, name: String? = nil) -> TimerFirings {
    context.makeTimer(on: schedule, name: name, lifetime: .stream) { TimerFirings(TickListener(to: $0)) }
  }

  /// Returns the ticks of a schedule with their details, for as long as an object lives.
  ///
  /// Works like ``firings(on:name:)``, and the timer also ends with `owner`, which is held weakly. The name is unique
  /// among the owner's timers.
  public nonisolated func firings(
    on schedule: TimerSchedule, name: String? = nil, owner: some AnyObject & Sendable
  ) -> TimerFirings {
    context.makeTimer(on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .stream) {
      TimerFirings(TickListener(to: $0))
    }
  }
}

extension TimerEntry.Lifetime {
  static func ofHandle(named name: String?) -> Self { name == nil ? .handles : .untilEnded }
}
