public import TimerSchedulingFoundation

/// Actions that run at multiples of an interval, after a delay, or at a date.
extension TimerScheduler {
  /// Runs an action at multiples of an interval.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with
  /// ``TimerSchedule/every(_:starting:)-(Duration,_)`` and its options.
  ///
  /// ```swift
  /// scheduler.schedule(every: .seconds(60), tolerance: .seconds(5)) { _ in await cache.refresh() }
  /// ```
  ///
  /// - Precondition: `interval` is greater than zero. No delay, tolerance or limit is negative.
  @discardableResult
  public nonisolated func schedule(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(interval, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of a number of seconds.
  ///
  /// - Precondition: `seconds` is finite. The rest is as for an interval.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(seconds, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of an interval, for as long as an object lives.
  ///
  /// Works like the form for an object with a `TimerSchedule`.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(interval, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of a number of seconds, for as long as an object lives.
  ///
  /// - Precondition: `seconds` is finite. The rest is as for an interval.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(seconds, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of an interval.
  ///
  /// Works like the form for an actor with a `TimerSchedule`.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(interval, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of a number of seconds.
  ///
  /// - Precondition: `seconds` is finite. The rest is as for an interval.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(seconds, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a delay.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with ``TimerSchedule/after(_:)-(Duration)``.
  ///
  /// ```swift
  /// let timeout = scheduler.schedule(after: .seconds(30)) { _ in await session.end() }
  /// ```
  ///
  /// - Precondition: `delay` and `tolerance` aren't negative; `timeout` is greater than zero.
  @discardableResult
  public nonisolated func schedule(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(.after(delay).with(tolerance), name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a number of seconds.
  ///
  /// - Precondition: `seconds` is finite and not negative.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(.after(seconds).with(tolerance), name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a delay, if an object is still alive then.
  ///
  /// Works like the form for an object with a `TimerSchedule`.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(delay).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, after a number of seconds, if an object is still alive then.
  ///
  /// - Precondition: `seconds` is finite and not negative.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(seconds).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, after a delay.
  ///
  /// Works like the form for an actor with a `TimerSchedule`.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(delay).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, after a number of seconds.
  ///
  /// - Precondition: `seconds` is finite and not negative.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(seconds).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, at a date on the wall clock, and follows the clock when it is set.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with ``TimerSchedule/at(_:)``.
  ///
  /// - Precondition: `date` is a number.
  @discardableResult
  public nonisolated func schedule(
    at date: Date, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(.at(date).with(tolerance), name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once, at a date, if an object is still alive then.
  ///
  /// Works like the form for an object with a `TimerSchedule`.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.at(date).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, at a date.
  ///
  /// Works like the form for an actor with a `TimerSchedule`.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let times = TimerSchedule.at(date).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }
}
