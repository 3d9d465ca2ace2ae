public import TimerSchedulingFoundation

/// A value that counts down or up over time.
///
/// Values are computed from the clock, so a countdown of thirty seconds takes thirty seconds however late its
/// listeners are. Values come at multiples of the step from the start. The last is exactly the end.
///
/// A countdown with a name lives on without listeners, and ``TimerScheduler/countdown(named:owner:)`` finds
/// it. One without a name or an action ends when its handle and its streams are gone.
public final class Countdown: Sendable {
  /// The timer, with its state, its end and its failure.
  public let timer: ScheduledTimer

  init(_ timer: ScheduledTimer) { self.timer = timer }

  private var position: (scale: CountdownScale, elapsed: Interval) {
    guard let position = timer.entry.countdown else { preconditionFailure("The timer isn't a countdown's.") }
    return position
  }

  /// The values as they are reached. Each access makes a new listener.
  ///
  /// The first value comes at once, even while the countdown is paused: it is the newest that lies on a step.
  /// Then a value comes at each step, and the end value last. A slow listener gets only the newest. The
  /// stream finishes after the end value, or without it if the countdown is ended early.
  public var values: AsyncStream<Duration> {
    let listener = CountdownListener(timer.entry)
    return AsyncStream(unfolding: listener.next, onCancel: listener.cancel)
  }

  /// The value at this moment, which may lie between two steps. It is fixed once the countdown has ended.
  public var value: Duration {
    let (scale, elapsed) = position
    return scale.value(after: elapsed)
  }

  /// The fraction of the time that has elapsed, from 0 to 1.
  public var progress: Double {
    let (scale, elapsed) = position
    return scale.progress(after: elapsed)
  }

  /// Pauses the countdown until it is resumed.
  public func pause() { timer.pause() }

  /// Resumes the countdown with exactly the time that was left, or that is left until its date.
  public func resume() { timer.resume() }

  /// Moves the end of the countdown.
  ///
  /// With a positive duration the countdown ends later. The value of a countdown rises at once by `duration`,
  /// perhaps above the start value; for a count up, the end value rises. The next value comes at the next
  /// step. With a negative duration the countdown ends earlier.
  ///
  /// If no time is left, a countdown ends at once with its end value, and a count up with its present value.
  /// A paused countdown that has a listener stays paused, and delivers its end value after the resume.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let round = TimerScheduler(clock: clock).countdown(from: .seconds(30))
  /// await clock.advance(by: .seconds(10))
  /// round.extend(by: .seconds(5))
  /// print(round.value)  // 25.0 seconds
  /// ```
  ///
  /// - Returns: False if the countdown has already finished; it then stays finished.
  @discardableResult
  public func extend(by duration: Duration) -> Bool { timer.entry.extendCountdown(by: Interval(duration)) }

  /// Moves the end of the countdown by a number of seconds.
  ///
  /// - Precondition: `seconds` is finite. The rest is as for ``extend(by:)-(Duration)``.
  @_disfavoredOverload
  @discardableResult
  public func extend(by seconds: TimeInterval) -> Bool { extend(by: .orStop(seconds: seconds)) }

  /// Ends the countdown at its present value.
  public func cancel() { timer.cancel() }
}

extension Countdown: CustomStringConvertible {
  /// The countdown's number, name, state and value, such as `countdown 7 "code", scheduled, 3.0 seconds`.
  public var description: String { "\(timer.description(as: "countdown")), \(value)" }
}
