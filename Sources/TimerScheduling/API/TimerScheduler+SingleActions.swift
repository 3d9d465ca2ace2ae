public import TimerSchedulingFoundation

/// Actions that run once.
extension TimerScheduler {
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
  @discardableResult
  public nonisolated func schedule(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(.after(delay).with(tolerance), name, nil, onError, timeout, TimerAction(action))
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
    makeTimer(.after(seconds).with(tolerance), name, nil, onError, timeout, TimerAction(action))
  }

  /// Runs an action once, after a delay, if an object is still alive then.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(
      .after(delay).with(tolerance), name, owner, onError, timeout, .init(ownedBy: Owner.self, action))
  }

  /// Runs an action once, after a number of seconds, if an object is still alive then.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(
      .after(seconds).with(tolerance), name, owner, onError, timeout, .init(ownedBy: Owner.self, action))
  }

  /// Runs an action once on the actor that owns it, after a delay.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-11p2d``.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(
      .after(delay).with(tolerance), name, owner, onError, timeout, .init(isolatedTo: Owner.self, action))
  }

  /// Runs an action once on the actor that owns it, after a number of seconds.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(
      .after(seconds).with(tolerance), name, owner, onError, timeout, .init(isolatedTo: Owner.self, action))
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
    makeTimer(.at(date).with(tolerance), name, nil, onError, timeout, TimerAction(action))
  }

  /// Runs an action once, at a date, if an object is still alive then.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(.at(date).with(tolerance), name, owner, onError, timeout, .init(ownedBy: Owner.self, action))
  }

  /// Runs an action once on the actor that owns it, at a date.
  ///
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-11p2d``.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(.at(date).with(tolerance), name, owner, onError, timeout, .init(isolatedTo: Owner.self, action))
  }
}
