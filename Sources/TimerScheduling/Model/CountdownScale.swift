import TimerSchedulingFoundation

/// The values of a countdown, or of a count up, as a function of the elapsed time.
///
/// Values lie at multiples of the step from the start, and the last is exactly the end: no error accumulates.
package struct CountdownScale: Sendable, Hashable {
  package let start: Duration
  package let end: Duration
  /// The time from one value to the next; the last may take less.
  package let step: Interval
  package let total: Interval

  package init(from start: Duration, to end: Duration, every step: Duration) {
    precondition(step > .zero, "A countdown's step must be greater than zero, but \(step) was given.")
    self.start = start
    self.end = end
    self.step = Interval(step)
    // Distances beyond the 292 years of an interval count as equally long.
    let (first, last) = (start.clamped, end.clamped)
    total = Interval(first < last ? last - first : first - last)
  }

  /// Returns the scale of a countdown to zero at a date. It begins up to a step before `now`, so that its
  /// values are multiples of the step. For a date that has passed, zero is the only value.
  static func until(
    _ date: Date, every step: Interval, at now: Deadline
  ) -> (CountdownScale, elapsed: Interval) {
    // A later date counts as the latest, as a duration can't hold more seconds.
    let (now, latest) = (Int128(now.nanoseconds), Int128(Int64.max) * 1_000_000_000)
    let remaining = min(max(date.nanosecondsSince1970, now), latest) - now
    let (step, nanoseconds) = (step.duration, Int128(step.nanoseconds))
    let start = (remaining + nanoseconds - 1) / nanoseconds * nanoseconds
    let scale = CountdownScale(
      from: Duration(attoseconds: start * 1_000_000_000), to: .zero, every: step)
    return (scale, Interval(nanoseconds: Int64(start - remaining)))
  }

  /// Returns this scale with an end `interval` later. If no time is left, a countdown is at its end, and a
  /// count up ends at its present value.
  package func extended(by interval: Interval, after elapsed: Interval) -> (CountdownScale, elapsed: Interval)
  {
    let newTotal = total.nanoseconds.addingSaturated(interval.nanoseconds)
    guard newTotal > elapsed.nanoseconds else {
      // With a nanosecond more, the end is a step after all that have passed.
      let all = Interval(nanoseconds: elapsed.nanoseconds.addingSaturated(1))
      let last = start < end ? value(after: elapsed) : end
      let first = start < end ? last.clamped - all.duration : last.clamped + all.duration
      return (CountdownScale(from: first, to: last, every: step.duration), all)
    }
    let difference = Duration.nanoseconds(newTotal) - total.duration
    let (first, last) = start < end ? (start, end.clamped + difference) : (start.clamped + difference, end)
    return (CountdownScale(from: first, to: last, every: step.duration), elapsed)
  }

  package var stepCount: Int64 {
    let (quotient, remainder) = total.nanoseconds.quotientAndRemainder(dividingBy: step.nanoseconds)
    return remainder > 0 ? quotient + 1 : quotient
  }

  package func step(after elapsed: Interval) -> Int64 {
    elapsed >= total ? stepCount : max(elapsed, .zero).nanoseconds / step.nanoseconds
  }

  package func time(ofStep number: Int64) -> Interval {
    min(Interval(nanoseconds: step.nanoseconds.multipliedSaturated(by: number)), total)
  }

  package func value(ofStep number: Int64) -> Duration { value(after: time(ofStep: number)) }

  /// Returns the fraction of the total that has elapsed. It is 1 if the total is zero.
  package func progress(after elapsed: Interval) -> Double {
    let elapsed = max(elapsed, .zero)
    return elapsed >= total ? 1 : Double(elapsed.nanoseconds) / Double(total.nanoseconds)
  }

  /// Returns the value after an elapsed time, also between two steps.
  package func value(after elapsed: Interval) -> Duration {
    // Returned directly, as the whole distance may be longer than an interval.
    if elapsed >= total { return end }
    let elapsed = max(elapsed, .zero).duration
    return start < end ? start + elapsed : start - elapsed
  }

  /// Returns this scale with `count` more steps before its start, or nil if an interval can't be as long.
  func preceded(by count: Int64) -> CountdownScale? {
    let (added, isTooLong) = step.nanoseconds.multipliedReportingOverflow(by: count)
    guard !isTooLong, !total.nanoseconds.addingReportingOverflow(added).overflow else { return nil }
    return CountdownScale(from: start + .nanoseconds(added), to: end, every: step.duration)
  }
}

extension Duration {
  /// The nearest duration within half the range of seconds, so that the difference of two doesn't overflow.
  fileprivate var clamped: Duration { min(max(self, .seconds(Int64.min / 2)), .seconds(Int64.max / 2)) }
}
