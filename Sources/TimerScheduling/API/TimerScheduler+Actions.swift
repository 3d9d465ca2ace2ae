#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
  ///     ``withTimeout(_:on:_:)-(Duration,_,_)``, and counts as having thrown a ``TimeoutError``.
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
  @_disfavoredOverload
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
  /// Works like ``schedule(_:name:owner:onError:timeout:perform:)-94kfa``. The action is isolated to the owner, and no
  /// run begins after the actor has cancelled the timer. A closure that is isolated to another actor or to a global
  /// actor runs there.
  ///
  /// ```swift
  /// scheduler.schedule(.every(.seconds(60)), owner: cache) { cache, tick in
  ///   await cache.refresh()
  /// }
  /// ```
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

/// The common schedules. Each works like a method above, with the same owners.
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
    return self.schedule(
      schedule, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action at multiples of a number of seconds.
  ///
  /// ```swift
  /// scheduler.schedule(every: 60) { tick in
  ///   await cache.refresh()
  /// }
  /// ```
  ///
  /// - Precondition: `seconds` is finite and greater than zero; a delay in `start`, `tolerance` and `limit` aren't
  ///   negative; `timeout` is greater than zero. For numbers that aren't literals, use
  ///   ``TimerSchedule/init(validatingEvery:starting:)-(TimeInterval,_)``.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(seconds, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return self.schedule(
      schedule, name: name, onError: onError, timeout: timeout, perform: action)
  }

  /// A timer made with an interval repeats.
  @available(*, unavailable, message: "leave out 'repeats': 'every' repeats, and for one run write 'after'")
  public nonisolated func schedule(
    every seconds: TimeInterval, repeats: Bool, perform action: (TimerTick) -> Void
  ) {}

  /// Runs an action at multiples of an interval, for as long as an object lives.
  @_disfavoredOverload
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

  /// Runs an action at multiples of a number of seconds, for as long as an object lives.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(seconds, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return self.schedule(
      schedule, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of an interval.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(interval, starting: start)
      .modified(tolerance: tolerance, missedTicks: missedTicks, limit: limit)
    return self.schedule(
      schedule, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the actor that owns it, at multiples of a number of seconds.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    let schedule = TimerSchedule.every(seconds, starting: start)
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
    schedule(
      .after(delay).modified(tolerance: tolerance), name: name, onError: onError, timeout: timeout,
      perform: action)
  }

  /// Runs an action once, after a number of seconds.
  ///
  /// - Precondition: `seconds` is finite; `seconds` and `tolerance` aren't negative; `timeout` is greater than zero.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .after(seconds).modified(tolerance: tolerance), name: name, onError: onError, timeout: timeout,
      perform: action)
  }

  /// Runs an action once, after a delay, if an object is still alive then.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .after(delay).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }

  /// Runs an action once, after a number of seconds, if an object is still alive then.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .after(seconds).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, after a delay.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .after(delay).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, after a number of seconds.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .after(seconds).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }

  /// Runs an action once, at a date on the wall clock, and follows the clock when it is set.
  ///
  /// Works like ``schedule(_:name:onError:timeout:perform:)`` with ``TimerSchedule/at(_:)``: a date that has passed is
  /// due at once.
  ///
  /// - Precondition: `date` is a number, `tolerance` isn't negative, and `timeout` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func schedule(
    at date: Date, tolerance: Duration? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .at(date).modified(tolerance: tolerance), name: name, onError: onError, timeout: timeout,
      perform: action)
  }

  /// Runs an action once, at a date, if an object is still alive then.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func schedule<Owner: AnyObject & Sendable>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .at(date).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }

  /// Runs an action once on the actor that owns it, at a date.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer {
    schedule(
      .at(date).modified(tolerance: tolerance), name: name, owner: owner, onError: onError,
      timeout: timeout, perform: action)
  }
}
