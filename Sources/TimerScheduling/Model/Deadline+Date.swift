#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Deadline {
  /// The seconds from the zero of the wall clock's deadlines, 1970, to the zero of a `Date`, 2001.
  fileprivate static let zeroOfDate: Int64 = 978_307_200

  /// Creates the deadline nearest to `date` on the wall clock, in whole nanoseconds.
  ///
  /// Converting back gives the same date for every `Date` that is a nanosecond or more away from the neighboring
  /// ones. Dates before 1709 and after 2262 become the clock's first and last deadline.
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
  /// Creates the date of a deadline on the wall clock.
  package init(_ deadline: Deadline) {
    // A Double can't hold today's nanoseconds, but it can hold whole seconds and a fraction.
    let (whole, fraction) = deadline.nanoseconds.dividedRoundingDown(by: 1_000_000_000)
    self.init(
      timeIntervalSinceReferenceDate: Double(whole - Deadline.zeroOfDate) + Double(fraction) / 1e9)
  }
}
