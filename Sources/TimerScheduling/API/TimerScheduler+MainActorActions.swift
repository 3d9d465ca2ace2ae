public import TimerSchedulingFoundation

/// Actions on the main actor that an actor owns. Without these forms, the compiler would convert such a
/// closure to one on its owner, which changes to the main actor only after it has begun. As `perform` is
/// optional, the compiler prefers the owner's form for all other closures: don't pass nil.
extension TimerScheduler {
  /// Runs an action on the main actor at each tick of a schedule, while the actor that owns it lives.
  ///
  /// Works like the form for an actor with a `TimerSchedule`, for a closure marked with `@MainActor`. No run
  /// begins after the main actor has cancelled the timer.
  ///
  /// - Precondition: `action` isn't nil.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    _ schedule: TimerSchedule, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    guard let action else { preconditionFailure("An action must be a closure, but nil was given.") }
    return makeTimer(schedule, name, owner, onError, timeout, TimerAction(ownedBy: Owner.self, action))
  }

  /// Runs an action on the main actor at multiples of an interval, while the actor that owns it lives.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every interval: Duration, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(interval, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the main actor at multiples of a number of seconds, while the actor that owns it
  /// lives.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    let times = TimerSchedule.every(seconds, starting: start).with(tolerance, missedTicks, limit)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the main actor once, after a delay, while the actor that owns it lives.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after delay: Duration, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(delay).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the main actor once, after a number of seconds, while the actor that owns it lives.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    after seconds: TimeInterval, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    let times = TimerSchedule.after(seconds).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }

  /// Runs an action on the main actor once, at a date, while the actor that owns it lives.
  @discardableResult
  public nonisolated func schedule<Owner: Actor>(
    at date: Date, tolerance: Duration? = nil, name: String? = nil, owner: Owner,
    onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    perform action: (@MainActor @Sendable (Owner, TimerTick) async throws -> Void)?
  ) -> ScheduledTimer {
    let times = TimerSchedule.at(date).with(tolerance)
    return schedule(times, name: name, owner: owner, onError: onError, timeout: timeout, perform: action)
  }
}
