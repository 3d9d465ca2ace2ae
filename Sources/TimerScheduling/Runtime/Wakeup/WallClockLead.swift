import Synchronization

/// The greatest lead of the wall clock over the monotonic one, since the wall clock was last found set back.
///
/// Each thread that computes deadlines notes the reading that it has used. So a pass finds that the clock was set back
/// even if it was set forward before, and timers were made in between.
struct WallClockLead: ~Copyable, Sendable {
  /// In nanoseconds.
  private let greatest = Atomic<Int64>(.min)

  /// A lead is stored only if it exceeds the stored one by more than this, so that threads seldom write a value that
  /// others read. A clock that is set back by 11 ms is noticed; one set back by 10 ms may not be.
  private static let step: Int64 = 1_000_000

  /// Notes the lead of a reading. Returns whether it is the greatest.
  @discardableResult
  borrowing func note(_ reading: ClockReading) -> Bool {
    let lead = reading.wallLead.nanoseconds
    guard lead > greatest.load(ordering: .relaxed).addingSaturated(Self.step) else { return false }
    return greatest.max(lead, ordering: .relaxed).oldValue < lead
  }

  /// The greatest lead so far. Take it before the clocks are read, so that it is of an earlier reading.
  var current: Interval { Interval(nanoseconds: greatest.load(ordering: .acquiring)) }

  /// Returns whether the wall clock was set back since it had the greatest lead, and forgets that lead if so.
  ///
  /// A clock that is slewed loses microseconds from reading to reading. They add up until they count as a set-back.
  borrowing func noticeSetBack(since lead: Interval, at reading: ClockReading) -> Bool {
    guard reading.isSetBack(sinceLead: lead) else {
      note(reading)
      return false
    }
    // Fails if a thread has noted another lead meanwhile. The next pass compares with that one.
    _ = greatest.compareExchange(
      expected: lead.nanoseconds, desired: reading.wallLead.nanoseconds, ordering: .relaxed)
    return true
  }
}
