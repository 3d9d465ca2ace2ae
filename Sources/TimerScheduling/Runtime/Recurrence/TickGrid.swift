/// Deadlines at multiples of an interval from an origin, numbered by ordinal.
///
/// A deadline is computed from the origin each time, so no error accumulates.
package struct TickGrid: Sendable, Hashable {
  package var origin: Deadline
  /// The spacing, which is greater than zero.
  package var interval: Interval

  package init(origin: Deadline, interval: Interval) {
    precondition(interval > .zero, "A grid's interval must be greater than zero.")
    self.origin = origin
    self.interval = interval
  }

  /// Creates the cadence through a moment that has passed, with the newest deadline up to `now` as its origin.
  ///
  /// The moment, in nanoseconds from the clock's zero, may lie before the clock's range. If the newest deadline does,
  /// the origin is the one after it.
  package init(through moment: Int128, interval: Interval, at now: Deadline) {
    let sinceNewest = (Int128(now.nanoseconds) - moment) % Int128(interval.nanoseconds)
    let newest = Int128(now.nanoseconds) - sinceNewest
    let origin = newest > Int128(Deadline.past.nanoseconds) ? newest : newest + Int128(interval.nanoseconds)
    self.init(origin: Deadline(nanoseconds: Int64(clamping: origin)), interval: interval)
  }

  package func deadline(_ ordinal: Int64) -> Deadline {
    // Computed with 128 bits, as the distance from an origin centuries ago may be longer than an interval.
    let distance = Int128(interval.nanoseconds) * Int128(ordinal)
    return Deadline(nanoseconds: Int64(clamping: Int128(origin.nanoseconds) + distance))
  }

  /// Returns the ordinal of the newest deadline that isn't later than `now`. It is negative before the origin.
  package func newestOrdinal(at now: Deadline) -> Int64 {
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
    guard !overflow else {
      let elapsed = Int128(now.nanoseconds) - Int128(origin.nanoseconds)
      return Int64(clamping: elapsed.dividedRoundingDown(by: Int128(interval.nanoseconds)).quotient)
    }
    return elapsed.dividedRoundingDown(by: interval.nanoseconds).quotient
  }
}
