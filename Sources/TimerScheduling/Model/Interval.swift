/// A spacing in time of whole nanoseconds, half the size of a `Duration` and free of 128-bit arithmetic.
///
/// A spacing beyond 292 years is ``max``. A timer's interval or delay of ``max`` is never over.
package struct Interval: Sendable, Hashable, Comparable {
  package static let zero = Interval(nanoseconds: 0)
  package static let max = Interval(nanoseconds: .max)

  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates the interval of the nearest whole number of nanoseconds, but not zero for a nonzero duration.
  package init(_ duration: Duration) {
    // One division instruction. `components` and 128-bit arithmetic take ten times as long.
    let magnitude = duration.attoseconds.magnitude
    let (rounded, overflow) = magnitude.addingReportingOverflow(500_000_000)
    let high = UInt64(truncatingIfNeeded: rounded >> 64)
    guard !overflow, high < 1_000_000_000 / 2 else {
      nanoseconds = duration < .zero ? .min : .max
      return
    }
    let low = UInt64(truncatingIfNeeded: rounded)
    let (quotient, _) = (1_000_000_000 as UInt64).dividingFullWidth((high, low))
    nanoseconds = Int64(clamping: quotient)
    if nanoseconds == 0, magnitude != 0 { nanoseconds = 1 }
    if duration < .zero { nanoseconds = -nanoseconds }
  }

  /// Creates the interval in the same way from seconds, which aren't NaN.
  package init(seconds: Double) {
    // 9.2e9 seconds are the 292 years an Int64 of nanoseconds can hold.
    guard seconds.magnitude < 9.2e9 else {
      nanoseconds = seconds < 0 ? .min : .max
      return
    }
    let whole = seconds.rounded(.down)
    nanoseconds = Int64(whole) * 1_000_000_000 + Int64(((seconds - whole) * 1e9).rounded())
    if nanoseconds == 0, seconds != 0 { nanoseconds = seconds < 0 ? -1 : 1 }
  }

  package var duration: Duration { .nanoseconds(nanoseconds) }

  /// The number of microseconds, if it is a whole one of up to 71 minutes. It takes half a word.
  var wholeMicroseconds: UInt32? {
    nanoseconds.isMultiple(of: 1000) ? UInt32(exactly: nanoseconds / 1000) : nil
  }

  package static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
  /// Returns the duration of a literal number of seconds, and stops the program if the number isn't finite.
  package static func orStop(
    seconds: Double, as subject: StaticString = "A timer's interval or delay"
  ) -> Duration {
    precondition(seconds.isFinite, TimerScheduleError.sentence(subject, isNotFinite: seconds))
    return Interval(seconds: seconds).duration
  }
}

extension SignedInteger {
  @inlinable
  package func dividedRoundingDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension FixedWidthInteger {
  package func addingSaturated(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  package func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  package func multipliedSaturated(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
