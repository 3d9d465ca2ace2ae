/// A point in time on one of a scheduler's clocks, in nanoseconds from that clock's zero.
///
/// The monotonic clock counts from the machine's start and the wall clock from 1970. Arithmetic saturates: a deadline
/// beyond the clock's range is ``never``, which is never reached.
package struct Deadline: Sendable, Hashable, Comparable {
  package static let never = Deadline(nanoseconds: .max)
  /// The last deadline that can be reached.
  package static let last = Deadline(nanoseconds: .max - 1)
  /// A deadline before every other.
  package static let past = Deadline(nanoseconds: .min)

  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Deadline, right: Deadline) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (deadline: Deadline, interval: Interval) -> Deadline {
    Deadline(nanoseconds: deadline.nanoseconds.addingSaturated(interval.nanoseconds))
  }

  package static func - (deadline: Deadline, interval: Interval) -> Deadline {
    Deadline(nanoseconds: deadline.nanoseconds.subtractingSaturated(interval.nanoseconds))
  }

  /// Returns the spacing from `right` to `left`.
  package static func - (left: Deadline, right: Deadline) -> Interval {
    Interval(nanoseconds: left.nanoseconds.subtractingSaturated(right.nanoseconds))
  }
}
