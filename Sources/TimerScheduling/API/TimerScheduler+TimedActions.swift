extension TimerScheduler {
  /// Runs an action at multiples of an interval.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with ``TimerSchedule/every(_:starting:)-(Duration,_)``
  /// and its options.
  ///
  /// ```swift
  /// scheduler.schedule(every: .seconds(60), tolerance: .seconds(5)) { tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Precondition: `interval` is greater than zero; a delay in `start`, `tolerance` and `limit` aren't negative;
  ///   `timeout` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func schedule(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return self.schedule(schedule, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of an interval, for as long as an object lives.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa`` with
  /// ``TimerSchedule/every(_:starting:)-(Duration,_)`` and its options.
  ///
  /// - Precondition: `interval` is greater than zero; a delay in `start`, `tolerance` and `limit` aren't negative;
  ///   `timeout` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return self.schedule(
      schedule, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a delay.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with ``TimerSchedule/after(_:)-(Duration)``.
  ///
  /// ```swift
  /// let timeout = scheduler.schedule(after: .seconds(30)) { _ in
  ///   await session.end()
  /// }
  /// ```
  ///
  /// - Precondition: `delay` and `tolerance` aren't negative; `timeout` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func schedule(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.after(delay).modified(tolerance: tolerance)
    return self.schedule(schedule, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a delay, if an object is still alive then.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa`` with
  /// ``TimerSchedule/after(_:)-(Duration)``.
  ///
  /// - Precondition: `delay` and `tolerance` aren't negative; `timeout` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.after(delay).modified(tolerance: tolerance)
    return self.schedule(
      schedule, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }
}
