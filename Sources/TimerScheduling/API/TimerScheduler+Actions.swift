extension TimerScheduler {
  /// Runs an action at each tick of a schedule.
  ///
  /// The action runs on its own isolation: the main actor for a closure marked with `@MainActor`, and no actor for an
  /// unmarked one, wherever it is written. Runs that aren't bound to an actor share tasks and threads of the package:
  /// an action that doesn't suspend costs no task, and one that blocks its thread holds up no other, unless 64 more
  /// than there are processors do so in the whole process (see ``TimerStatistics/blocked``). Runs on the main
  /// actor begin in the order in which their timers fire. Work that an action starts with `Task { }` runs on Swift's
  /// threads; its child tasks run where the action runs.
  ///
  /// Other tasks get their turn between two runs, even if the action takes longer than the interval. Runs of one
  /// timer never overlap. Deadlines that pass during a run follow the schedule's missed-tick behavior. The action
  /// doesn't see task-local values of the caller or of other runs.
  ///
  /// The timer lives, with or without a handle, until it is cancelled or replaced, its last run has returned, or the
  /// action fails under ``ActionErrorBehavior/finish``. Then the action's captures are released.
  /// ``ScheduledTimer/cancel()`` cancels the task of a run under way, and so does making another timer with the same
  /// name. A run that makes that timer itself isn't cancelled.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), name: "refresh") { tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: The times at which to run the action.
  ///   - name: A name, unique within the scheduler; the empty string is a name, too. The previous timer of this name
  ///     is ended as replaced before this returns.
  ///   - onError: The effect on the timer if the action throws.
  ///   - timeout: The longest time a run may take, or nil for no limit. A longer run is cancelled, as by
  ///     ``withTimeout(_:on:_:)``, and counts as having thrown a ``TimeoutError``.
  ///   - action: The closure to run. It receives the tick.
  /// - Returns: A handle on the timer.
  /// - Precondition: `timeout` is greater than zero.
  /// - Complexity: O(1), plus one call of a rule.
  @discardableResult
  public nonisolated func schedule(
    _ schedule: TimerSchedule, name: String? = nil, onError: ActionErrorBehavior = .keepTicking,
    timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    context.makeTimer(
      on: schedule, name: name, lifetime: .untilEnded, action: TimerAction(action).limited(to: timeout),
      onError: onError,
      hold: ScheduledTimer.init)
  }

  /// Runs an action at each tick of a schedule, for as long as an object lives.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)``. The scheduler holds the owner weakly, and passes it to
  /// the action for the duration of each run. An action that captures its owner keeps the owner alive, and with it
  /// the timer. The name is unique among the owner's timers.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { cache, tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Precondition: `timeout` is greater than zero.
  /// - Complexity: O(1), plus one call of a rule.
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    context.makeTimer(
      on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .untilEnded,
      action: TimerAction(ownedBy: Owner.self, action).limited(to: timeout), onError: onError,
      hold: ScheduledTimer.init)
  }

  /// Runs an action on the actor that owns it, at each tick of a schedule, for as long as the actor lives.
  ///
  /// This is ``schedule(_:name:owner:onError:timeout:perform:)-94kfa`` for a closure isolated to the owner. No run
  /// begins after the actor has cancelled the timer.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { (cache: isolated Cache, _) in
  ///   await cache.refresh()
  /// }
  /// ```
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    context.makeTimer(
      on: schedule, name: name, owner: owner, as: nil, lifetime: .untilEnded,
      action: TimerAction(isolatedTo: Owner.self, action).limited(to: timeout), onError: onError,
      hold: ScheduledTimer.init)
  }
}

// MARK: Common schedules

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
  /// Works like ``schedule(every:starting:tolerance:missedTicks:limit:name:onError:timeout:perform:)``, and with the
  /// owner like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``.
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
  /// Works like ``schedule(after:tolerance:name:onError:timeout:perform:)``, and with the owner like
  /// ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``.
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
