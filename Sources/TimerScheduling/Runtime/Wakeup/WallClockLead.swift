import Synchronization

/// The greatest lead of the wall clock over the monotonic one, since the wall clock was last found set back.
///
/// Each thread that computes deadlines notes its reading. So a pass finds that the clock was set back even if it was
/// set forward before, and timers were made in between.
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

extension ClockReading {
  /// The widest acceptable gap between two monotonic readings that enclose one of the wall clock.
  ///
  /// Three readings take about 100 ns. A thread that is preempted in between takes a thousand times as long.
  private static let widestBracket = Interval(nanoseconds: 10_000)
  private static let mostTries = 8

  /// Reads both clocks as nearly at the same moment as possible.
  ///
  /// A thread may be preempted between two readings. So the wall clock is read between two readings of the monotonic
  /// one, again if they are too far apart, and the closest are used. The result has the earlier of the two, so that no
  /// tick is early.
  package static func bracketed(monotonic: () -> Deadline, wall: () -> Deadline) -> ClockReading {
    var before = monotonic()
    var best = ClockReading(monotonic: before, wall: wall())
    var after = monotonic()
    var width = after - before
    for _ in 1..<mostTries where width > widestBracket {
      before = after
      let reading = ClockReading(monotonic: before, wall: wall())
      after = monotonic()
      if after - before < width { (best, width) = (reading, after - before) }
    }
    return best
  }
}
