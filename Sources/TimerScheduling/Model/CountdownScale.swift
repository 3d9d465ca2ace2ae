/// The values of a countdown, or of a count up, by the time that has elapsed.
///
/// Values lie at multiples of the step from the start, and the last is the end exactly: nothing is
/// accumulated.
package struct CountdownScale: Sendable, Hashable {
  package let start: Duration
  package let end: Duration
  /// The time from one value to the next; the last may take less.
  package let step: Interval
  /// The time from the first value to the last.
  package let total: Interval

  /// - Precondition: `step` is greater than zero.
  package init(from start: Duration, to end: Duration, every step: Duration) {
    precondition(step > .zero, "A countdown's step must be greater than zero, but \(step) was given.")
    self.start = start
    self.end = end
    self.step = Interval(step)
    // Beyond the 292 years of an interval all ways are as long.
    let (first, last) = (start.clamped, end.clamped)
    total = Interval(first < last ? last - first : first - last)
  }

  /// The same, with an end that comes later by `interval`, but no earlier than right after `elapsed`.
  ///
  /// What counts down has that much more left, and what counts up goes further.
  package func extended(by interval: Interval, after elapsed: Interval) -> CountdownScale {
    let newTotal = max(
      total.nanoseconds.addingSaturated(interval.nanoseconds), elapsed.nanoseconds.addingSaturated(1))
    let difference = Duration.nanoseconds(newTotal) - total.duration
    return start < end
      ? CountdownScale(from: start, to: end.clamped + difference, every: step.duration)
      : CountdownScale(from: start.clamped + difference, to: end, every: step.duration)
  }

  /// How many values there are after the first.
  package var stepCount: Int64 {
    let (quotient, remainder) = total.nanoseconds.quotientAndRemainder(dividingBy: step.nanoseconds)
    return remainder > 0 ? quotient + 1 : quotient
  }

  /// The number of the newest value after so much time.
  package func step(after elapsed: Interval) -> Int64 {
    if elapsed >= total { return stepCount }
    return max(elapsed, .zero).nanoseconds / step.nanoseconds
  }

  /// When the value with this number comes, from the start.
  package func time(ofStep number: Int64) -> Interval {
    min(Interval(nanoseconds: step.nanoseconds.multipliedSaturated(by: number)), total)
  }

  /// The value with this number.
  package func value(ofStep number: Int64) -> Duration {
    value(after: time(ofStep: number))
  }

  /// The fraction of the total that has elapsed, from 0 to 1. It is 1 where the total is zero.
  package func progress(after elapsed: Interval) -> Double {
    if elapsed >= total { return 1 }
    return Double(max(elapsed, .zero).nanoseconds) / Double(total.nanoseconds)
  }

  /// The value on a scale without steps.
  package func value(after elapsed: Interval) -> Duration {
    // The whole way in one piece, as it may be longer than an interval.
    if elapsed >= total { return end }
    let elapsed = max(elapsed, .zero).duration
    return start < end ? start + elapsed : start - elapsed
  }
}

extension Duration {
  /// The nearest duration whose difference from another such one is a duration.
  fileprivate var clamped: Duration {
    min(max(self, .seconds(Int64.min / 2)), .seconds(Int64.max / 2))
  }
}
