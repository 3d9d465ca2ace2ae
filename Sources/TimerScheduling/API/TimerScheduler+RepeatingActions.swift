public import TimerSchedulingFoundation

/// Actions that run at multiples of an interval.
extension TimerScheduler {
  /// Runs an action at multiples of an interval.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with
  /// ``TimerSchedule/every(_:starting:)-(Duration,_)`` and its options.
  ///
  /// ```swift
  /// scheduler.schedule(every: .seconds(60), tolerance: .seconds(5)) { tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Precondition: `interval` and `timeout` are greater than zero. A delay in `start`, `tolerance` and
  ///   `limit` aren't negative.
  @discardableResult
  public nonisolated func schedule(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(interval, starting: start).with(tolerance, missedTicks, limit),
      name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of a number of seconds.
  ///
  /// - Precondition: As for an interval, and `seconds` is finite. For numbers that aren't literals, use
  ///   ``TimerSchedule/init(validatingEvery:starting:)-(TimeInterval,_)``.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(seconds, starting: start).with(tolerance, missedTicks, limit),
      name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of an interval, for as long as an object lives.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(interval, starting: start).with(tolerance, missedTicks, limit),
      name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of a number of seconds, for as long as an object lives.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(seconds, starting: start).with(tolerance, missedTicks, limit),
      name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of an interval.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-11p2d``.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(interval, starting: start).with(tolerance, missedTicks, limit),
      name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of a number of seconds.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .every(seconds, starting: start).with(tolerance, missedTicks, limit),
      name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }
}
