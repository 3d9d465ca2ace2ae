/// The number of a filing and the clock of its deadline, in one word.
///
/// An element without a deadline keeps the clock of its last filing.
struct FilingNumber: Sendable {
  /// The number of an element that never had a deadline.
  static let none = FilingNumber(.max, on: .monotonic)

  private var bits: UInt64

  init(_ number: UInt64, on timeline: Timeline) { bits = number << 1 | (timeline == .wall ? 1 : 0) }

  /// The number, which no other filing has.
  var number: UInt64 { bits >> 1 }
  var timeline: Timeline { bits & 1 == 0 ? .monotonic : .wall }
  var isFiled: Bool { number != Self.none.number }

  mutating func clear() { bits |= ~1 }
}
