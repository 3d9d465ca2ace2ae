public import TimerSchedulingFoundation

// Calls that are nearly right. The compiler refuses them with a text that says what to write instead.

extension TimerScheduler {
  /// Refuses a number of seconds for a tolerance or a timeout.
  @available(*, unavailable, message: "Give a tolerance and a timeout as durations, such as .seconds(10).")
  @discardableResult
  public nonisolated func schedule(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: TimeInterval? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, onError: ActionErrorBehavior = .keepTicking, timeout: TimeInterval? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer { fatalError() }

  /// Refuses a number of seconds for a tolerance or a timeout.
  @available(*, unavailable, message: "Give a tolerance and a timeout as durations, such as .seconds(10).")
  @discardableResult
  public nonisolated func schedule(
    after seconds: TimeInterval, tolerance: TimeInterval? = nil, name: String? = nil,
    onError: ActionErrorBehavior = .keepTicking, timeout: TimeInterval? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void
  ) -> ScheduledTimer { fatalError() }

  /// Refuses a number of seconds for a tolerance.
  @available(*, unavailable, message: "Give a tolerance as a duration, such as .milliseconds(50).")
  public nonisolated func ticks(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: TimeInterval, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil
  ) -> AsyncStream<Date> { fatalError() }

  /// Refuses an owner that isn't an object.
  @available(
    *, unavailable,
    message: """
      An owner is an object of a class or an actor, and not an optional. In Swift 5 mode, an owner of a protocol's type \
      needs the upcoming feature ImplicitOpenExistentials.
      """
  )
  @discardableResult
  public nonisolated func schedule<Owner>(
    every seconds: TimeInterval, starting start: TimerSchedule.Start = .afterInterval,
    tolerance: Duration? = nil, missedTicks: MissedTickBehavior = .skip, limit: Int? = nil,
    name: String? = nil, owner: Owner, onError: ActionErrorBehavior = .keepTicking, timeout: Duration? = nil,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) -> ScheduledTimer { fatalError() }
}
