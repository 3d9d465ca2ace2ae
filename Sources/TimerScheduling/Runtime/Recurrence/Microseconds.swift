/// A whole number of microseconds up to 71 minutes, in half a word.
struct Microseconds: Sendable {
  static let zero = Microseconds(count: 0)

  private let count: UInt32

  private init(count: UInt32) { self.count = count }

  /// Creates the number of microseconds of an interval. Returns nil if it isn't a whole number or is too large.
  init?(_ interval: Interval) {
    let (count, remainder) = interval.nanoseconds.quotientAndRemainder(dividingBy: 1000)
    guard remainder == 0, let count = UInt32(exactly: count) else { return nil }
    self.count = count
  }

  var interval: Interval { Interval(nanoseconds: Int64(count) * 1000) }
}
