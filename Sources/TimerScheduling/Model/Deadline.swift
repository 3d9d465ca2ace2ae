package import TimerSchedulingFoundation

/// A point in time on one of a scheduler's clocks: the monotonic clock counts from the machine's start, the
/// wall clock from 1970. Arithmetic saturates: a deadline beyond the clock's range is ``never``.
package struct Deadline: Sendable, Hashable, Comparable {
  /// Never reached.
  package static let never = Deadline(nanoseconds: .max)
  /// The last deadline that can be reached.
  package static let last = Deadline(nanoseconds: .max - 1)
  package static let past = Deadline(nanoseconds: .min)

  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates the nearest deadline on the wall clock, which goes from 1677 to 2262.
  package init(_ date: Date) { self.init(nanoseconds: Int64(clamping: date.nanosecondsSince1970)) }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns the deadline an interval later. An interval of ``Interval/max`` is never over, whatever the sum.
  package static func + (deadline: Deadline, interval: Interval) -> Deadline {
    guard interval < .max else { return .never }
    return Deadline(nanoseconds: deadline.nanoseconds.addingSaturated(interval.nanoseconds))
  }

  package static func - (deadline: Deadline, interval: Interval) -> Deadline {
    Deadline(nanoseconds: deadline.nanoseconds.subtractingSaturated(interval.nanoseconds))
  }

  package static func - (left: Deadline, right: Deadline) -> Interval {
    Interval(nanoseconds: left.nanoseconds.subtractingSaturated(right.nanoseconds))
  }
}

extension Date {
  /// The seconds from 1970, the zero of the wall clock's deadlines, to 2001, the zero of a `Date`.
  private static let zero: Int64 = 978_307_200

  /// The nearest whole number of nanoseconds since 1970. It saturates for dates 30 billion years away, and is
  /// the greatest if the date isn't a number.
  package var nanosecondsSince1970: Int128 {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e18 else { return seconds < 0 ? .min : .max }
    let whole = seconds.rounded(.down)
    let fraction = Int64(((seconds - whole) * 1e9).rounded())
    return Int128(Int64(whole) + Self.zero) * 1_000_000_000 + Int128(fraction)
  }

  /// Creates the date nearest to a moment in the years 1 to 9999.
  package init(nanosecondsSince1970 nanoseconds: some SignedInteger) {
    let (whole, fraction) = nanoseconds.dividedRoundingDown(by: 1_000_000_000)
    // A Double can't hold today's nanoseconds, but it can hold whole seconds and a fraction.
    let seconds = Double(Int64(whole) - Self.zero)
    self.init(timeIntervalSinceReferenceDate: seconds + Double(Int64(fraction)) / 1e9)
  }

  package init(_ deadline: Deadline) { self.init(nanosecondsSince1970: deadline.nanoseconds) }

  /// The nanoseconds since 1970 of a date at which a cadence starts. It may lie before the clock's range, as
  /// the cadence goes on into it. A date before the year 1 is the distant past, one after the range its end.
  package var cadenceOrigin: Int128 {
    let nanoseconds = nanosecondsSince1970
    guard nanoseconds >= WrittenDate.first else { return Date.distantPast.nanosecondsSince1970 }
    return min(nanoseconds, Int128(Deadline.never.nanoseconds))
  }
}
