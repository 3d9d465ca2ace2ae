extension TimerScheduler {
  /// Runs an action at each tick of a schedule.
  ///
  /// The action runs where it is written, as in `Task { }`: on the main actor, the actor whose `self` it
  /// uses, the global actor it is marked with, or no actor. Runs on the main actor begin in the order in
  /// which their timers fire. Runs of one timer never overlap, and other tasks get their turn between two.
  /// Deadlines that pass during a run follow the schedule's missed-tick behavior.
  ///
  /// Runs on no actor share tasks and threads of the package. Runs that block their threads delay others only
  /// if 64 more of them block than there are processors (see ``sharedThreads``). An action's `Task { }` runs
  /// on Swift's threads, child tasks where the action runs. Actions see no task-local values of the caller.
  ///
  /// The timer lives, with or without a handle, until it is cancelled or replaced, its last run has returned,
  /// or the action fails under ``ActionErrorBehavior/finish``. Then the action's captures are released.
  /// Cancelling the timer cancels the task of a run under way. So does replacing it from elsewhere.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), name: "refresh") { _ in await cache.refresh() }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: The times at which to run the action.
  ///   - name: A name, perhaps empty, unique within the scheduler. The previous timer of this name is ended
  ///     as replaced before this returns.
  ///   - onError: The effect on the timer if the action throws.
  ///   - timeout: The longest time a run may take, or nil for no limit. A longer run is cancelled, and counts
  ///     as having thrown a ``TimeoutError``.
  ///   - action: The closure to run. It receives the tick. In a module with the compiler's feature
  ///     `NonisolatedNonsendingByDefault`, write `{ await refresh($0) }` for an async function.
  /// - Precondition: `timeout` is greater than zero. The action doesn't run on a scheduler, whose timers
  ///   would stand still: if it uses `self` in an extension of `TimerScheduler`, the method is `nonisolated`.
  /// - Complexity: O(1), plus one call of a rule.
  @discardableResult
  public nonisolated func schedule(
    _ schedule: TimerSchedule, name: String? = nil, onError: ActionErrorBehavior = .keepTicking,
    timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(schedule, name, nil, onError, timeout, TimerAction(action))
  }

  /// Runs an action at each tick of a schedule, for as long as an object lives.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)``, with a name unique among the owner's timers.
  /// The scheduler holds the owner weakly and passes it to each run. Capturing the owner keeps it alive.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { cache, _ in await cache.refresh() }
  /// ```
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(schedule, name, owner, onError, timeout, TimerAction(ownedBy: Owner.self, action))
  }

  /// Runs an action on the actor that owns it, at each tick of a schedule, for as long as the actor lives.
  ///
  /// Works like the form for an object with a `TimerSchedule`. The action is isolated to the
  /// owner, and no run begins after the actor has cancelled the timer. A closure marked with `@MainActor`
  /// runs on the main actor instead, and states the types of its parameters. A closure of another global
  /// actor begins on the owner, so a run may begin after that global actor has cancelled the timer. To
  /// prevent that, capture the owner weakly instead.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { cache, _ in cache.refresh() }
  /// ```
  ///
  /// - Precondition: The owner isn't a scheduler. During a run, the timers of such an owner would stand
  ///   still.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(schedule, name, owner, onError, timeout, TimerAction(isolatedTo: Owner.self, action))
  }

  /// Runs an action at each tick, whose runs are known by an object.
  package nonisolated func schedule(
    _ schedule: TimerSchedule, context: any AnyObject & Sendable,
    perform action: @escaping @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    makeTimer(schedule, nil, nil, .keepTicking, nil, TimerAction(context: context, action))
  }

  /// Makes a timer with an action. Inlined, so that no timer pays for a further call.
  @inline(__always)
  nonisolated func makeTimer(
    _ schedule: TimerSchedule, _ name: String?, _ owner: (any AnyObject & Sendable)?,
    _ onError: ActionErrorBehavior, _ timeout: Duration?, _ action: TimerAction
  ) -> ScheduledTimer {
    requireValid(action.isIsolatedToOwner ? owner as? TimerScheduler : action.isolation, owner: owner)
    return driver.makeTimer(
      on: schedule, name: name, owner: owner, action: action.limited(to: timeout), onError: onError,
      hold: ScheduledTimer.init)
  }

  /// Stops the program if an action would run on a scheduler, or takes an owner that isn't one.
  @inline(__always)
  package nonisolated func requireValid(_ isolation: (any Actor)?, owner: (any AnyObject)? = nil) {
    precondition(
      owner == nil || owner !== TimerOwner.none,
      "An action that takes its owner needs one, but TimerOwner.none was given.")
    precondition(
      !(isolation is TimerScheduler),
      """
      An action can't run on a scheduler, whose timers would stand still. Give it another owner, or make the method \
      nonisolated in which it is written.
      """)
  }
}
