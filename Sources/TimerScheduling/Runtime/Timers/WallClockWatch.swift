import Synchronization

/// The state of a scheduler's wall clock: its lead over the monotonic clock, and the time at which it was set
/// last.
///
/// A date is valid for the lead by which it was computed. So each timer keeps the reading of its dates, and
/// follows a clock that was set before it uses them. A pass that finds such a clock has all timers follow.
struct WallClockWatch: ~Copyable, Sendable {
  /// The greatest lead since the last set-back, in nanoseconds. Each thread that computes deadlines notes its
  /// reading, so a pass also finds a set-back after a step forward.
  private let greatestLead = Atomic<Int64>(.min)
  /// The moment of the last look, on the monotonic clock, and the lead then.
  private let lastLook = Atomic<Int64>(.min)
  private let lookedLead = Atomic<Int64>(.max)
  /// A moment at or before that of the last set-back.
  private let setAfter = Atomic<Int64>(.min)
  private let isWatched: Atomic<Bool>
  private let noticeDelay: Interval

  init(noticeDelay: Interval, isWatched: Bool) {
    self.noticeDelay = noticeDelay
    self.isWatched = Atomic(isWatched)
  }

  /// Whether a wakeup comes when the clock is set, at most `noticeDelay` later. Only the driver changes it.
  var hasNotices: Bool {
    get { isWatched.load(ordering: .sequentiallyConsistent) }
    nonmutating set { isWatched.store(newValue, ordering: .sequentiallyConsistent) }
  }

  private var lead: Interval { Interval(nanoseconds: greatestLead.load(ordering: .acquiring)) }

  func isSetBack(at reading: ClockReading) -> Bool { reading.isSetBack(sinceLead: lead) }

  /// A lead is stored only if it exceeds the stored one by more than this, so that threads seldom write a
  /// value that others read. A clock that is set back by 11 ms is noticed; one set back by 10 ms may not be.
  private static let leadStep: Int64 = 1_000_000

  /// Notes the lead of a reading. Returns whether it is the greatest.
  @discardableResult
  func note(_ reading: ClockReading) -> Bool {
    let lead = reading.wallLead.nanoseconds
    guard lead > greatestLead.load(ordering: .relaxed).addingSaturated(Self.leadStep) else { return false }
    return greatestLead.max(lead, ordering: .relaxed).oldValue < lead
  }

  /// Reads both clocks, notes the lead, and adds to the reading what is known of the last set-back.
  func read(_ clock: any SchedulerClock) -> ClockReading {
    var reading = clock.read()
    note(reading)
    reading.setAfter = Deadline(
      nanoseconds: isSetBack(at: reading) ? changeMoment(at: reading) : setAfter.load(ordering: .relaxed))
    return reading
  }

  /// Reads both clocks for a look, and returns whether the wall clock was set since the last one.
  func look(_ clock: any SchedulerClock) -> (reading: ClockReading, isSet: Bool) {
    // Before the clocks are read, so that it is of an earlier reading.
    let lead = lead
    var reading = clock.read()
    let isSetBack = !note(reading) && reading.isSetBack(sinceLead: lead)
    if isSetBack {
      setAfter.store(changeMoment(at: reading), ordering: .relaxed)
      // Fails if a thread has noted another lead meanwhile. The next pass compares with that one.
      _ = greatestLead.compareExchange(
        expected: lead.nanoseconds, desired: reading.wallLead.nanoseconds, ordering: .acquiringAndReleasing)
    }
    let new = reading.wallLead.nanoseconds
    let isSetForward = new > lookedLead.exchange(new, ordering: .relaxed).addingSaturated(10_000_000)
    lastLook.store(reading.monotonic.nanoseconds, ordering: .relaxed)
    reading.setAfter = Deadline(nanoseconds: setAfter.load(ordering: .relaxed))
    return (reading, isSetBack || isSetForward)
  }

  /// Returns a moment at or before that at which the clock was set back, which no look has found yet.
  private func changeMoment(at reading: ClockReading) -> Int64 {
    let last = lastLook.load(ordering: .relaxed)
    return hasNotices ? max(last, (reading.monotonic - noticeDelay).nanoseconds) : last
  }
}
