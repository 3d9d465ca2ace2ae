/// A value that counts down, or up, with the time.
///
/// Values are computed from the clock each time, so a countdown of thirty seconds takes thirty seconds
/// however late its listeners are. They come at multiples of the step from the start, and the last is the end
/// exactly, when the whole time has elapsed.
///
/// ```swift
/// let countdown = scheduler.countdown(from: .seconds(3), name: "code")
/// for await remaining in countdown.values {
///   print("\(remaining.components.seconds) s left")
/// }
/// ```
/// ```text
/// 3 s left
/// 2 s left
/// 1 s left
/// 0 s left
/// ```
///
/// A countdown with a name lives on without listeners, and ``TimerScheduler/countdown(named:)`` finds it again. One
/// without a name ends when its handle and its streams are gone.
public final class Countdown: Sendable {
  let timer: ScheduledTimer
  /// The scale at the beginning.
  private let scale: CountdownScale

  init(_ timer: ScheduledTimer, _ scale: CountdownScale) {
    self.timer = timer
    self.scale = scale
  }

  /// The countdown of a timer that is one's.
  convenience init?(of entry: TimerEntry) {
    guard let scale = entry.countdown?.scale else { return nil }
    self.init(ScheduledTimer(entry), scale)
  }

  private var position: (scale: CountdownScale, elapsed: Interval) { timer.entry.countdown ?? (scale, .zero) }

  /// The values as they come. Each access is a new listener.
  ///
  /// The first is the present value, at once, also while paused: the newest of those at the steps. Then comes one at each
  /// step, and the end value last. A listener that is slow gets the newest, so none that is out of date. The
  /// stream finishes after the end value, or without it when the countdown is ended before.
  public var values: AsyncStream<Duration> {
    let listener = CountdownListener(timer.entry)
    return AsyncStream {
      await listener.next()
    } onCancel: {
      listener.cancel()
    }
  }

  /// The value at this moment, between start and end and not only at the steps.
  ///
  /// That of a countdown that was ended stays as it was.
  public var value: Duration {
    let (scale, elapsed) = position
    return scale.value(after: elapsed)
  }

  /// The fraction of the time that has elapsed, from 0 to 1.
  public var progress: Double {
    let (scale, elapsed) = position
    return scale.progress(after: elapsed)
  }

  /// Whether the countdown is scheduled, paused or finished, and why.
  public var state: ScheduledTimer.State { timer.state }

  /// Stops the time until it is resumed.
  public func pause() {
    timer.pause()
  }

  /// Lets the time go on, with exactly what was left.
  public func resume() {
    timer.resume()
  }

  /// Has the countdown end later.
  ///
  /// What counts down has that much more left at once, and may show more than it started with; what counts up goes further.
  /// The next value comes at the next step, also while others wait for it. A negative duration has it end earlier, at once
  /// if nothing is left then. A countdown that is paused stays so.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let round = TimerScheduler(clock: clock).countdown(from: .seconds(30))
  /// await clock.advance(by: .seconds(10))
  /// round.extend(by: .seconds(5))
  /// print(round.value)  // 25.0 seconds
  /// ```
  ///
  /// - Returns: False if the countdown is over, which it stays.
  @discardableResult
  public func extend(by duration: Duration) -> Bool { timer.entry.extendCountdown(by: Interval(duration)) }

  /// Ends the countdown where it is.
  public func cancel() {
    timer.cancel()
  }

  /// Waits until the countdown has finished, and returns why.
  ///
  /// Returns nil if the calling task is cancelled first.
  @discardableResult
  public func waitUntilFinished() async -> ScheduledTimer.FinishReason? {
    await timer.waitUntilFinished()
  }
}
