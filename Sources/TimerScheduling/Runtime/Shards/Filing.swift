package struct Filing: Sendable, Equatable {
  package var timeline: Timeline
  package var deadline: Deadline
  /// The moment by which the element must be taken.
  package var latest: Deadline

  package init(timeline: Timeline, deadline: Deadline, latest: Deadline) {
    (self.timeline, self.deadline, self.latest) = (timeline, deadline, latest)
  }

  /// The number of a filing, which no other has, and the clock of its deadline, in one word.
  package struct Number: Sendable {
    static let none = Number(.max, on: .monotonic)

    private var bits: UInt64

    init(_ number: UInt64, on timeline: Timeline) { bits = number << 1 | (timeline == .wall ? 1 : 0) }

    var value: UInt64 { bits >> 1 }
    package var timeline: Timeline { bits & 1 == 0 ? .monotonic : .wall }
    package var isFiled: Bool { value != Self.none.value }
  }

  /// The place of an entry: its shard in three bits, and its index there in the others.
  package struct Place: Sendable {
    private static var indexBits: UInt32 { 29 }
    package let bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    init(shard: Int, index: UInt32) {
      precondition(index >> Self.indexBits == 0, "A shard has room for 2²⁹ timers.")
      bits = UInt32(shard) << Self.indexBits | index
    }

    var shard: Int { Int(bits >> Self.indexBits) }
    var index: UInt32 { bits & (1 << Self.indexBits - 1) }
  }

  /// The wakeup of the driver that follows a change of its queue.
  package enum Wakeup: Sendable {
    case none
    /// A pass, unless one comes before the moment.
    case before(Deadline, on: Timeline)
    /// A pass, if no deadline is left.
    case disarm
  }
}
