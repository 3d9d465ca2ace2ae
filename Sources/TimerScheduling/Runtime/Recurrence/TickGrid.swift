/// Deadlines at multiples of an interval from an origin, numbered by ordinal. Each is computed from the
/// origin, so no error accumulates. With an interval of ``Interval/max``, only the origin comes.
package struct TickGrid: Sendable, Hashable {
  package var origin: Deadline
  package var interval: Interval

  package init(origin: Deadline, interval: Interval) {
    precondition(interval > .zero, "A grid's interval must be greater than zero.")
    (self.origin, self.interval) = (origin, interval)
  }

  /// Creates the cadence through a moment that has passed. Its origin is the newest deadline up to `now`.
  ///
  /// The moment may lie before the clock's range. If the newest deadline does, the origin is that after it.
  /// If the interval is endless, the newest isn't known: the origin has passed, too.
  package init(through moment: Int128, interval: Interval, at now: Deadline) {
    let spacing = interval < .max ? Int128(interval.nanoseconds) : .max
    let sinceNewest = (Int128(now.nanoseconds) - moment) % spacing
    let newest = Int128(now.nanoseconds) - sinceNewest
    let isUnknown = sinceNewest >= Int128(Int64.max)
    let origin = newest > Int128(Deadline.past.nanoseconds) || isUnknown ? newest : newest + spacing
    self.init(origin: Deadline(nanoseconds: Int64(clamping: origin)), interval: interval)
  }

  package func deadline(_ ordinal: Int64) -> Deadline {
    guard interval < .max || ordinal == 0 else { return ordinal < 0 ? .past : .never }
    // Computed with 128 bits, as the distance from an origin centuries ago may be longer than an interval.
    let distance = Int128(interval.nanoseconds) * Int128(ordinal)
    return Deadline(nanoseconds: Int64(clamping: Int128(origin.nanoseconds) + distance))
  }

  /// Returns the ordinal of the newest deadline up to `now`. It is negative before the origin.
  package func newestOrdinal(at now: Deadline) -> Int64 {
    guard interval < .max else { return now < origin ? -1 : 0 }
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
    guard !overflow else {
      let elapsed = Int128(now.nanoseconds) - Int128(origin.nanoseconds)
      return Int64(clamping: elapsed.dividedRoundingDown(by: Int128(interval.nanoseconds)).quotient)
    }
    return elapsed.dividedRoundingDown(by: interval.nanoseconds).quotient
  }
}
