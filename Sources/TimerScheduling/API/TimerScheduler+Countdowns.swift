public import TimerSchedulingFoundation

extension TimerScheduler {
  /// Returns a countdown or, if the start is below the end, a count up.
  ///
  /// The time starts with this call, on the monotonic clock, which stands still while the machine sleeps.
  /// Without a name the countdown ends when its handle and its streams are gone; with a name it lives on, and
  /// ``countdown(named:owner:)`` finds it. It also ends with its owner.
  ///
  /// ```swift
  /// let countdown = scheduler.countdown(from: .seconds(2))
  /// for await remaining in countdown.values { print(remaining) }
  /// ```
  /// ```text
  /// 2.0 seconds
  /// 1.0 seconds
  /// 0.0 seconds
  /// ```
  ///
  /// - Parameters:
  ///   - start: The first value.
  ///   - end: The last value. If it equals the first, there is only that one.
  ///   - step: The time between values, and the difference between them.
  ///   - name: A name, unique among the timers of the owner, or those without one. The previous timer or
  ///     countdown of this name is ended as replaced before this returns.
  ///   - owner: An object that is held weakly, with which the countdown ends at the latest.
  /// - Precondition: `step` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func countdown(
    from start: Duration, to end: Duration = .zero, every step: Duration = .seconds(1), name: String? = nil,
    owner: some AnyObject & Sendable = TimerOwner.none
  ) -> Countdown {
    makeCountdown(.countdown(CountdownScale(from: start, to: end, every: step)), name, owner)
  }

  /// Returns a countdown or a count up with values in seconds, kept to the nanosecond.
  ///
  /// Works like ``countdown(from:to:every:name:owner:)-(Duration,_,_,_,_)`` with finite numbers.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func countdown(
    from start: TimeInterval, to end: TimeInterval = 0, every step: TimeInterval = 1, name: String? = nil,
    owner: some AnyObject & Sendable = TimerOwner.none
  ) -> Countdown {
    countdown(from: .orStop(start), to: .orStop(end), every: .orStop(step), name: name, owner: owner)
  }

  /// Returns a countdown to zero at a date on the wall clock.
  ///
  /// Works like ``countdown(from:to:every:name:owner:)-(Duration,_,_,_,_)``, but the end comes at the date,
  /// also if the machine has slept or its clock was set meanwhile. The next value then fits the date: values
  /// in between are left out, or come again if the clock was set back. A pause holds the value, but not the
  /// date. The values are multiples of `step`: at nine and a half seconds before the date the first is ten
  /// seconds. After a date that has passed, there is only the value zero.
  ///
  /// ```swift
  /// let sale = scheduler.countdown(until: Date.now + 9.5)
  /// for await remaining in sale.values { logger.info("\(remaining)") }
  /// ```
  ///
  /// - Precondition: `date` is a number, and `step` is greater than zero.
  @discardableResult
  public nonisolated func countdown(
    until date: Date, every step: Duration = .seconds(1), name: String? = nil,
    owner: some AnyObject & Sendable = TimerOwner.none
  ) -> Countdown {
    makeCountdown(.until(date, every: step), name, owner)
  }

  /// Returns a countdown to a date, with the step in seconds.
  ///
  /// - Precondition: `step` is finite and greater than zero. The rest is as for a duration.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func countdown(
    until date: Date, every step: TimeInterval, name: String? = nil,
    owner: some AnyObject & Sendable = TimerOwner.none
  ) -> Countdown {
    countdown(until: date, every: .orStop(seconds: step), name: name, owner: owner)
  }

  /// Runs an action with each value of a countdown, or of a count up, for as long as an object lives.
  ///
  /// The values are those of ``countdown(from:to:every:name:owner:)-(Duration,_,_,_,_)``: the first comes at
  /// once, then one at each step. An action that takes longer than a step gets the newest value next. It runs
  /// as in the form of `schedule` for an object, and an error that it throws doesn't end
  /// the countdown. The countdown lives on without its handle.
  ///
  /// ```swift
  /// scheduler.countdown(from: .seconds(30), owner: screen) { @MainActor screen, remaining in
  ///   screen.show("\(remaining)")
  /// }
  /// ```
  ///
  /// - Precondition: `step` is greater than zero.
  @discardableResult
  public nonisolated func countdown<Owner: AnyObject & Sendable>(
    from start: Duration, to end: Duration = .zero, every step: Duration = .seconds(1), name: String? = nil,
    owner: Owner,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, Duration) async throws -> Void
  ) -> Countdown {
    makeCountdown(
      .countdown(CountdownScale(from: start, to: end, every: step)), name, owner,
      TimerAction(ownedBy: Owner.self, countingDown: action))
  }

  /// Runs an action with each value of a countdown, or of a count up, in seconds, for as long as an object
  /// lives.
  ///
  /// Works like ``countdown(from:to:every:name:owner:perform:)-(Duration,_,_,_,_,_)`` with finite numbers.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func countdown<Owner: AnyObject & Sendable>(
    from start: TimeInterval, to end: TimeInterval = 0, every step: TimeInterval = 1, name: String? = nil,
    owner: Owner,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, Duration) async throws -> Void
  ) -> Countdown {
    countdown(
      from: .orStop(start), to: .orStop(end), every: .orStop(step), name: name, owner: owner, perform: action)
  }

  /// Runs an action with each value of a countdown to zero at a date, for as long as an object lives.
  ///
  /// Works like ``countdown(from:to:every:name:owner:perform:)-(Duration,_,_,_,_,_)``. `date` must be a
  /// number.
  @discardableResult
  public nonisolated func countdown<Owner: AnyObject & Sendable>(
    until date: Date, every step: Duration = .seconds(1), name: String? = nil, owner: Owner,
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Owner, Duration) async throws -> Void
  ) -> Countdown {
    makeCountdown(
      .until(date, every: step), name, owner, TimerAction(ownedBy: Owner.self, countingDown: action))
  }

  private nonisolated func makeCountdown(
    _ cadence: TimerSchedule.Cadence, _ name: String?, _ owner: any AnyObject & Sendable,
    _ action: TimerAction? = nil
  ) -> Countdown {
    if let action { requireValid(action.isolation, owner: owner) }
    var schedule = TimerSchedule(cadence: cadence)
    schedule.options.includesStart = action != nil
    return driver.makeTimer(
      on: schedule, name: name, owner: owner, endsUnheld: name == nil && action == nil, action: action
    ) { Countdown(ScheduledTimer($0)) }
  }
}

extension TimerSchedule.Cadence {
  fileprivate static func until(_ date: Date, every step: Duration) -> Self {
    precondition(step > .zero, "A countdown's step must be greater than zero, but \(step) was given.")
    return .countdownUntil(date.orStopIfNotANumber(), every: Interval(step))
  }
}

extension Duration {
  fileprivate static func orStop(_ seconds: TimeInterval) -> Duration {
    orStop(seconds: seconds, as: "A countdown's start, end and step")
  }
}
