extension TimerScheduler {
  /// Runs an action at each tick of a schedule.
  ///
  /// The action runs on its own isolation: the main actor for a closure marked with
  /// `@MainActor`, and no actor for one that isn't marked, wherever it is written.
  /// Runs of actions that aren't bound to an actor share tasks and threads of the package's own: an action that doesn't
  /// suspend costs no task, and one that blocks its thread holds up no other. Runs of the main actor begin in the order
  /// in which their timers fire. What an action makes with `Task { }` runs on Swift's threads; its child tasks run where
  /// it runs.
  ///
  /// Other tasks have their turn between two runs, even if the action takes longer than the interval. Runs of one timer
  /// never overlap. Deadlines that pass during a run follow the schedule's missed-tick behavior. Task-local values of
  /// the caller, and of other runs, aren't seen by the action.
  ///
  /// The timer lives, with or without a handle, until it is cancelled or replaced, its last run has
  /// returned, or the action fails under ``ActionErrorBehavior/finish``. What the action has captured is
  /// released then. ``ScheduledTimer/cancel()`` cancels the task of a run under way, and so does a timer that takes
  /// the name, unless that run itself makes it: then the run goes on to its end.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), name: "refresh") { tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: When to run the action.
  ///   - name: A name, unique within the scheduler; an empty one is a name, too. The timer that had it
  ///     is ended, before this returns, as replaced.
  ///   - onError: What becomes of the timer when the action throws.
  ///   - timeout: How long a run may take. One that takes longer is cancelled, as ``withTimeout(_:on:_:)`` does, and counts
  ///     as having thrown a ``TimeoutError``. Nil for no limit.
  ///   - action: What to run, with the tick it is run for.
  /// - Returns: A handle on the timer.
  /// - Precondition: `timeout` is greater than zero.
  /// - Complexity: O(1), and one call of a rule.
  @discardableResult
  public nonisolated func schedule(
    _ schedule: TimerSchedule, name: String? = nil, onError: ActionErrorBehavior = .keepTicking,
    timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    driver.makeTimer(
      on: schedule, name: name, lifetime: .own, action: TimerAction(action).limited(to: timeout),
      onError: onError,
      hold: ScheduledTimer.init)
  }

  /// Runs an action at each tick of a schedule, for as long as an object lives.
  ///
  /// As ``schedule(_:name:onError:timeout:perform:)``. The owner is held weakly, and handed to the action for the
  /// time of each run. An action that captures its owner keeps it alive, and so itself.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { cache, tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: When to run the action.
  ///   - name: A name, unique among the owner's timers.
  ///   - owner: The object with which the timer ends.
  ///   - onError: What becomes of the timer when the action throws.
  ///   - timeout: How long a run may take. One that takes longer is cancelled, as ``withTimeout(_:on:_:)`` does, and counts
  ///     as having thrown a ``TimeoutError``. Nil for no limit.
  ///   - action: What to run, with the owner and the tick it is run for.
  /// - Returns: A handle on the timer.
  /// - Precondition: `timeout` is greater than zero.
  /// - Complexity: O(1), and one call of a rule.
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    driver.makeTimer(
      on: schedule, name: name, owner: owner, as: owner as? TimerOwner, lifetime: .own,
      action: TimerAction(ownedBy: Owner.self, action).limited(to: timeout), onError: onError,
      hold: ScheduledTimer.init)
  }

  /// Runs an action on the actor that owns it, at each tick of a schedule, for as long as the actor lives.
  ///
  /// This is ``schedule(_:name:owner:onError:timeout:perform:)-94kfa`` for a closure that the actor isolates. Once the
  /// actor has cancelled the timer, no run begins.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { (cache: isolated Cache, _) in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Precondition: `timeout` is greater than zero.
  /// - Complexity: O(1), and one call of a rule.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    driver.makeTimer(
      on: schedule, name: name, owner: owner, as: nil, lifetime: .own,
      action: TimerAction(isolatedTo: Owner.self, action).limited(to: timeout), onError: onError,
      hold: ScheduledTimer.init)
  }
}
