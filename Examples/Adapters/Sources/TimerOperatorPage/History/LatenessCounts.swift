/// The number of ticks by lateness, since a history was made.
///
/// Each range is about three times as long as the one before, from 10 µs to 10 s, as rows that a person
/// reads.
package struct LatenessCounts: Sendable, Hashable {
  /// The greatest lateness of each range but the last, which has none.
  package static let bounds: [Duration] = [
    .microseconds(10), .microseconds(30), .microseconds(100), .microseconds(300), .milliseconds(1),
    .milliseconds(3), .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
    .seconds(1), .seconds(3), .seconds(10),
  ]

  /// The number of ticks in each range. One more than there are bounds.
  package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)

  package init() {}

  package mutating func note(_ lateness: Duration) {
    counts[Self.bounds.firstIndex { lateness <= $0 } ?? Self.bounds.count] += 1
  }

  package var total: Int { counts.reduce(0, +) }

  /// The ranges from the first that has a tick to the last that has one.
  package var usedRanges: Range<Int> {
    guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 })
    else { return 0..<0 }
    return first..<last + 1
  }

  /// A range in words.
  package static func title(of range: Int) -> String {
    bounds.indices.contains(range)
      ? "up to \(bounds[range].abbreviated)" : "more than \(bounds[bounds.count - 1].abbreviated)"
  }
}
