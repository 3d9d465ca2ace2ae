import Synchronization

/// The greatest lead of the wall clock over the monotonic one, since the wall clock was last found set back.
///
/// Each thread that computes deadlines notes the reading that it has used. So a pass finds that the clock was set back
/// even if it was set forward before, and timers were made in between.
package struct WallClockLead: ~Copyable, Sendable {
  /// The lead in nanoseconds.
  private let greatest = Atomic<Int64>(.min)

  /// A lead that is greater by less than this isn't noted. Threads then seldom write what others read.
  private static let step: Int64 = 1_000_000

  package init() {}

  package borrowing func note(_ reading: ClockReading) {
    let lead = reading.wallLead.nanoseconds
    if lead > greatest.load(ordering: .relaxed).addingSaturated(Self.step) {
      greatest.max(lead, ordering: .relaxed)
    }
  }

  /// Returns whether the wall clock was set back since the greatest lead, and forgets that lead if so.
  ///
  /// A clock that is slewed loses microseconds from reading to reading. They add up until they count as a set-back.
  package borrowing func isSetBack(at reading: ClockReading) -> Bool {
    guard reading.isSetBack(sinceLead: Interval(nanoseconds: greatest.load(ordering: .relaxed))) else {
      note(reading)
      return false
    }
    greatest.store(reading.wallLead.nanoseconds, ordering: .relaxed)
    return true
  }
}
