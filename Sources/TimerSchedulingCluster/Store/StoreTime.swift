#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A moment of a store's clock, in whole microseconds since 1970.
///
/// Replicas and the store compare dates for equality, and a database rounds fractions of a second. A whole number
/// stays the same on the way to the store and back.
public struct StoreTime: Sendable, Hashable, Comparable, Codable {
  /// The microseconds since 1970 in Universal Time.
  public var microseconds: Int64

  /// Creates a moment from microseconds since 1970.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Creates the moment nearest to a date.
  public init(_ date: Date) {
    microseconds = Int64((date.timeIntervalSince1970 * 1e6).rounded())
  }

  /// A moment that never comes. It stands for the next date of a job that has none.
  static let never = StoreTime(.distantFuture)

  /// The moment as a date.
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }

  /// Returns whether the first moment comes before the second.
  public static func < (left: StoreTime, right: StoreTime) -> Bool {
    left.microseconds < right.microseconds
  }

  /// Returns the moment a duration later.
  public static func + (time: StoreTime, duration: Duration) -> StoreTime {
    StoreTime(microseconds: time.microseconds + duration.wholeMicroseconds)
  }

  /// Returns the duration from one moment to a later one.
  public static func - (later: StoreTime, earlier: StoreTime) -> Duration {
    .microseconds(later.microseconds - earlier.microseconds)
  }
}

extension Duration {
  package var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
