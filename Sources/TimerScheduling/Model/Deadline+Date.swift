#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Deadline {
  /// From the zero of the wall clock's deadlines, 1970, to the zero of a `Date`, 2001.
  fileprivate static let zeroOfDate: Int64 = 978_307_200

  /// The nanosecond nearest to `date` on the wall clock.
  ///
  /// Converting back gives the same date for every date that a `Date` can tell from its neighbors by a
  /// nanosecond or more. Dates before 1709 and after 2262 become the clock's ends.
  ///
  /// - Precondition: `date` isn't NaN.
  package init(_ date: Date) {
    let interval = Interval(seconds: date.timeIntervalSinceReferenceDate)
    if interval.nanoseconds == .min {
      self.init(nanoseconds: .min)
    } else {
      let reference = Deadline(nanoseconds: Self.zeroOfDate * 1_000_000_000)
      self = reference + interval
    }
  }
}

extension Date {
  /// The date of a deadline on the wall clock.
  package init(_ deadline: Deadline) {
    // A Double has no room for today's nanoseconds, but has for whole seconds and for a fraction.
    let (whole, fraction) = deadline.nanoseconds.dividedRoundingDown(by: 1_000_000_000)
    self.init(
      timeIntervalSinceReferenceDate: Double(whole - Deadline.zeroOfDate) + Double(fraction) / 1e9)
  }
}
