#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerScheduler {
  /// Returns a countdown or, if the start is below the end, a count up.
  ///
  /// The time starts with this call. Without a name the countdown ends when its handle and its streams are gone; with
  /// a name it lives on without them, and ``countdown(named:)`` finds it.
  ///
  /// ```swift
  /// let countdown = scheduler.countdown(from: .seconds(2))
  /// for await remaining in countdown.values {
  ///   print(remaining)
  /// }
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
  ///   - name: A name, unique within the scheduler. The previous timer or countdown of this name is ended as replaced
  ///     before this returns.
  /// - Precondition: `step` is greater than zero.
  /// - Complexity: O(1).
  @discardableResult
  public nonisolated func countdown(
    from start: Duration, to end: Duration = .zero, every step: Duration = .seconds(1), name: String? = nil
  ) -> Countdown {
    let scale = CountdownScale(from: start, to: end, every: step)
    let timer = context.makeTimer(
      on: TimerSchedule(cadence: .countdown(scale)), name: name, lifetime: .ofHandle(named: name),
      hold: ScheduledTimer.init)
    return Countdown(timer, scale)
  }

  /// Returns a countdown or a count up that ends with an object at the latest.
  ///
  /// Works like ``countdown(from:to:every:name:)-(Duration,_,_,_)``. The owner is held weakly, and the name is unique
  /// among its timers.
  @discardableResult
  public nonisolated func countdown(
    from start: Duration, to end: Duration = .zero, every step: Duration = .seconds(1), name: String? = nil,
    owner: some AnyObject & Sendable
  ) -> Countdown {
    let scale = CountdownScale(from: start, to: end, every: step)
    let timer = context.makeTimer(
      on: TimerSchedule(cadence: .countdown(scale)), name: name, owner: owner,
      as: owner as? TimerOwner, lifetime: .ofHandle(named: name), hold: ScheduledTimer.init)
    return Countdown(timer, scale)
  }

  /// Returns a countdown or a count up with values in seconds, kept to the nanosecond.
  ///
  /// Works like ``countdown(from:to:every:name:)-(Duration,_,_,_)``.
  ///
  /// - Precondition: All three numbers are finite, and `step` is greater than zero.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func countdown(
    from start: TimeInterval, to end: TimeInterval = 0, every step: TimeInterval = 1, name: String? = nil
  ) -> Countdown {
    countdown(from: .orStop(start), to: .orStop(end), every: .orStop(step), name: name)
  }

  /// Returns a countdown or a count up with values in seconds that ends with an object at the latest.
  ///
  /// Works like ``countdown(from:to:every:name:owner:)-(Duration,_,_,_,_)``.
  ///
  /// - Precondition: All three numbers are finite, and `step` is greater than zero.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func countdown(
    from start: TimeInterval, to end: TimeInterval = 0, every step: TimeInterval = 1, name: String? = nil,
    owner: some AnyObject & Sendable
  ) -> Countdown {
    countdown(from: .orStop(start), to: .orStop(end), every: .orStop(step), name: name, owner: owner)
  }
}

extension Duration {
  fileprivate static func orStop(_ seconds: TimeInterval) -> Duration {
    orStop(seconds: seconds, as: "A countdown's start, end and step")
  }
}
