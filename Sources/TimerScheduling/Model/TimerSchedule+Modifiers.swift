public import TimerSchedulingFoundation

extension TimerSchedule {
  /// Allows ticks to be late by up to `tolerance`, so that timers can fire together.
  ///
  /// A wakeup of the process costs far more than a tick. Timers whose tolerances overlap share one wakeup and
  /// its date. Without this modifier the scheduler's default tolerance applies. More than half the interval,
  /// or half the time to a rule's date after, counts as half, so that a late tick doesn't make the next one
  /// missed.
  ///
  /// - Precondition: `tolerance` isn't negative.
  public func tolerance(_ tolerance: Duration) -> TimerSchedule {
    Self.requireValid(tolerance: tolerance)
    return with { $0.tolerance = Interval(tolerance) }
  }

  /// Allows ticks to be late by up to a number of seconds, which is finite and not negative.
  @_disfavoredOverload
  public func tolerance(_ seconds: TimeInterval) -> TimerSchedule {
    tolerance(.orStop(seconds: seconds, as: "A tolerance"))
  }

  static func requireValid(tolerance: Duration?) {
    guard let tolerance else { return }
    precondition(tolerance >= .zero, "A tolerance must be zero or more, but \(tolerance) was given.")
  }

  /// Sets the treatment of ticks that can't be delivered in time.
  public func missedTicks(_ behavior: MissedTickBehavior) -> TimerSchedule {
    with { $0.missedTicks = behavior }
  }

  /// Ends the timer after `count` ticks.
  ///
  /// Only ticks that are taken count, however slow a loop is. With a limit of zero the timer ends at once.
  ///
  /// - Precondition: `count` isn't negative.
  public func limit(_ count: Int) -> TimerSchedule {
    precondition(count >= 0, "A limit must be zero or more, but \(count) was given.")
    return with { $0.limit = count }
  }

  /// Ends the timer after its last tick due at or before `date`.
  ///
  /// - Precondition: `date` is a number.
  public func until(_ date: Date) -> TimerSchedule { with { $0.until = Deadline(date.orStopIfNotANumber()) } }

  /// Delays each tick by a random time below `jitter`, drawn anew for each tick.
  ///
  /// Jitter spreads the timers of many processes over time. It doesn't shift the cadence: the next tick is
  /// again due at its multiple of the interval plus a random time. A jitter longer than the interval, or than
  /// the time to a rule's date after, counts as that, so that ticks keep their order. The first tick of a
  /// start `.immediately` has none.
  ///
  /// - Precondition: `jitter` isn't negative.
  public func jitter(upTo jitter: Duration) -> TimerSchedule {
    precondition(jitter >= .zero, "A jitter must be zero or more, but \(jitter) was given.")
    return with { $0.jitter = Interval(jitter) }
  }

  /// Delays each tick by a random time below a number of seconds, which is finite and not negative.
  @_disfavoredOverload
  public func jitter(upTo seconds: TimeInterval) -> TimerSchedule {
    jitter(upTo: .orStop(seconds: seconds, as: "A jitter"))
  }

  /// Makes the timer start paused.
  ///
  /// The first tick comes as long after ``ScheduledTimer/resume(_:)`` as it would have come after the timer
  /// was made. This has no effect in ``ScheduledTimer/reschedule(_:)``.
  public func paused() -> TimerSchedule { with { $0.isPaused = true } }

  private func with(_ change: (inout Options) -> Void) -> TimerSchedule {
    var copy = self
    change(&copy.options)
    return copy
  }
}
