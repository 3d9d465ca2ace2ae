import TimerScheduling
package import TimerSchedulingFoundation

/// A moment of a store's clock, in whole microseconds since 1970.
///
/// Replicas and the store compare dates for equality, and a database rounds fractions of a second.
package struct StoreTime: Sendable, Hashable, Comparable, Codable {
  package static let zero = StoreTime(microseconds: 0)
  package static let distantFuture = StoreTime(microseconds: limit)
  /// The greatest distance from 1970 of a date that is given or read, so that sums don't overflow.
  private static let limit: Int64 = 1_000_000_000_000_000_000
  /// The moment from which a date counts: the beginning of 2001.
  private static let reference: Int64 = 978_307_200_000_000

  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates the moment nearest to a date. One of more than 31,000 years from 1970 becomes a moment that far
  /// from it.
  package init(_ date: Date) {
    let rounded = (date.timeIntervalSinceReferenceDate * 1e6).rounded() + Double(Self.reference)
    precondition(!rounded.isNaN, "A cluster's date must be a number, but NaN was given.")
    microseconds = Int64(max(-Double(Self.limit), min(rounded, Double(Self.limit))))
  }

  /// Reads the microseconds, a whole number. A moment of more than 31,000 years from 1970 is read as one that
  /// far from it.
  package init(from decoder: any Decoder) throws {
    microseconds = max(-Self.limit, min(try decoder.singleValueContainer().decode(Int64.self), Self.limit))
  }

  package func encode(to encoder: any Encoder) throws { try microseconds.encode(to: encoder) }

  package var date: Date {
    // A date counts from 2001. Seconds since 1970 would be rounded twice, and a date of a schedule would come
    // back as another.
    Date(timeIntervalSinceReferenceDate: Double(microseconds.subtractingSaturated(Self.reference)) / 1e6)
  }

  package var next: StoreTime { self + .microseconds(1) }

  package var previous: StoreTime { self - .microseconds(1) }

  package static func < (left: StoreTime, right: StoreTime) -> Bool { left.microseconds < right.microseconds }

  package static func + (time: StoreTime, duration: Duration) -> StoreTime {
    StoreTime(microseconds: time.microseconds.addingSaturated(duration.wholeMicroseconds))
  }

  package static func - (time: StoreTime, duration: Duration) -> StoreTime {
    StoreTime(microseconds: time.microseconds.subtractingSaturated(duration.wholeMicroseconds))
  }

  package static func - (later: StoreTime, earlier: StoreTime) -> Duration {
    .microseconds(later.microseconds.subtractingSaturated(earlier.microseconds))
  }
}

extension Duration {
  /// The duration in whole microseconds. One of more than 292,000 years counts as that long.
  package var wholeMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
}
