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

  /// Returns the same cadence with the newest deadline up to `now` as its origin.
  ///
  /// - Precondition: `origin` isn't later than `now`.
  package func rebased(at now: Deadline) -> TickGrid {
    // The distance from an origin centuries ago may exceed an Int64.
    let elapsed = UInt64(bitPattern: now.nanoseconds &- origin.nanoseconds)
    let sinceNewest = Int64(elapsed % UInt64(interval.nanoseconds))
    return TickGrid(origin: now - Interval(nanoseconds: sinceNewest), interval: interval)
  }
}
