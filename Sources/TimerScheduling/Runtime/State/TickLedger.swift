import TimerSchedulingFoundation

/// The position of one listener in a timer's ticks.
package struct TickCursor: Sendable, Comparable {
  /// The number of passed deadlines that came before the listener, or whose ticks it has got.
  fileprivate var seen: Int64

  package static let start = TickCursor(seen: 0)
  /// The cursor of a listener that has got the tick of the first deadline.
  static let afterFirst = TickCursor(seen: 1)
  /// A cursor after that of any listener.
  static let end = TickCursor(seen: .max)

  package static func < (left: TickCursor, right: TickCursor) -> Bool { left.seen < right.seen }
}

/// The ticks between a timer and its listeners: those that have fired, and those that were taken.
///
/// Deadlines are counted as they pass, and each listener has a cursor in that count. So the numbers of missed
/// and of owed ticks are differences of two counts, for any number of listeners. An *owed* tick is one that a
/// listener has yet to take. Under `.burst`, owed ticks are due at even spacing before the newest deadline,
/// whatever was done to the timer meanwhile.
package struct TickLedger: Sendable {
  /// The number of deadlines that have passed, including ticks fired by hand.
  private var passed: Int64 = 0
  /// The number of deadlines, from the first, whose ticks no listener is owed any more.
  private var withdrawn: Int64 = 0
  /// The moment at which the newest deadline was due, on the wall clock.
  private var due = Deadline.never
  /// The moment at which the timer fired for the newest deadline or, if it didn't, at which that was due.
  private var fired = Deadline.never
  /// The number of times that the wall clock was set back after these, and that the schedule was replaced.
  private var setBackCount = 0
  /// The moment at which the timer was resumed, on the wall clock, if the newest deadline was due before
  /// that.
  private var resumed = Deadline.past

  /// The number of ticks up to the newest that a listener has taken.
  package private(set) var takenCount: Int64 = 0
  /// The newest deadline whose tick was taken, or is owed to no listener.
  private var takenThrough: Int64 = 0
  /// The number of missed deadlines that ``countAnew(takenBefore:)`` has returned.
  private var countedMissed: Int64 = 0

  package init() {}

  /// Creates the ledger of a timer that has fired once.
  init(firedAt date: Deadline, lateness: Interval, isTaken: Bool) {
    deadlinesFired(1, at: date, lateness: lateness)
    if isTaken { (takenThrough, takenCount) = (1, 1) }
  }

  /// Notes that the timer has fired at `date` for `count` deadlines, the newest of them `lateness` late.
  ///
  /// The lateness of a deadline that passed during a pause counts from the end of the pause. The deadline was
  /// due `pause` before that.
  package mutating func deadlinesFired(
    _ count: Int64, at date: Deadline, lateness: Interval, pause: Interval = .zero
  ) {
    pass(count)
    setBackCount = 0
    fired = date
    due = date - lateness - pause
    resumed = pause > .zero ? date - lateness : .past
  }

  /// Notes that `count` more deadlines have passed while no task was waiting, the newest of them due at
  /// `date`.
  ///
  /// The timer didn't fire for them, so their ticks have the dates at which they were due.
  package mutating func deadlinesPassed(_ count: Int64, newest date: Deadline) {
    guard count > 0 else { return }
    pass(count)
    setBackCount = 0
    fired = min(fired, date)
    due = date
    resumed = .past
  }

  /// Notes that a rule has given `count` more dates that have passed, the newest of them `date`, after which
  /// the wall clock was set back `setBackCount` times.
  ///
  /// The timer may have fired since then, for an earlier date or by hand, and that firing stays valid.
  package mutating func datesAnswered(_ count: Int64, newest date: Deadline, setBackCount: Int) {
    guard count > 0 else { return }
    if !hasFired || setBackCount < self.setBackCount {
      (fired, due, self.setBackCount) = (date, date, setBackCount)
    } else if setBackCount == self.setBackCount {
      due = max(due, date)
    }
    pass(count)
    resumed = .past
  }

  /// Counts deadlines. Their number stays below that of ``TickCursor/end``.
  private mutating func pass(_ count: Int64) { passed = min(passed.addingSaturated(count), .max - 1) }

  /// Notes that the wall clock was set back, so the moments noted until now are no earlier than later ones.
  package mutating func clockSetBack() { setBackCount += 1 }

  var hasFired: Bool { passed > 0 }

  package var totalMissedCount: Int64 { max(takenThrough - takenCount, 0) }

  /// The number of missed deadlines once `count` more have passed and the tick of the newest, if it is owed,
  /// is taken.
  func missedCount(passing count: Int64) -> Int64 {
    let passed = passed.addingSaturated(count)
    return max(passed - takenCount - (passed > settled.seen ? 1 : 0), 0)
  }

  package var isNewestTaken: Bool { takenThrough >= passed }

  package var newestLateness: Interval? { passed > 0 ? lateness(of: due) : nil }

  /// Returns the cursor before which listeners are owed a tick with an index below `limit`.
  ///
  /// Taking a tick doesn't move it, as that never makes a tick for another listener.
  func owedBefore(_ behavior: MissedTickBehavior, below limit: Int64) -> TickCursor {
    let end: Int64 =
      switch behavior {
      case .skip, .delay: newestIndex < limit ? passed : 0
      case .burst: min(passed, (limit - takenCount).addingSaturated(settled.seen))
      }
    return end > withdrawn ? TickCursor(seen: end) : .start
  }

  package func owes(_ cursor: TickCursor, _ behavior: MissedTickBehavior, below limit: Int64) -> Bool {
    cursor < owedBefore(behavior, below: limit)
  }

  private func lateness(of due: Deadline) -> Interval {
    let date = max(due, fired)
    return date - max(due, min(resumed, date))
  }

  /// Returns the numbers of ticks taken since ``takenCount`` was `takenBefore`, and of deadlines missed
  /// before them that no call has returned. Returns nil if no tick was taken that no listener had taken
  /// before.
  package mutating func countAnew(takenBefore: Int64) -> (taken: Int, missed: Int)? {
    guard takenCount > takenBefore else { return nil }
    let missed = max(totalMissedCount - countedMissed, 0)
    countedMissed += missed
    return (Int(clamping: takenCount - takenBefore), Int(clamping: missed))
  }

  /// Returns the cursor of a listener that joins now and gets the ticks of later deadlines.
  ///
  /// With `isAlone` there is no other listener, so no listener is owed a tick.
  package mutating func join(isAlone: Bool) -> TickCursor {
    if isAlone { takenThrough = passed }
    return TickCursor(seen: passed)
  }

  /// Returns the cursor of a listener that gets all ticks, because none was taken and there is no other
  /// listener.
  package mutating func joinFirst() -> TickCursor {
    takenThrough = 0
    return .start
  }

  /// Returns the listener's next tick, if it is owed one with an index below `limit`.
  package mutating func takeTick(
    for cursor: inout TickCursor, _ behavior: MissedTickBehavior, interval: Interval?, below limit: Int64
  ) -> TimerTick? {
    guard owes(cursor, behavior, below: limit) else { return nil }
    let seen = max(cursor.seen, withdrawn)
    let (ordinal, index) =
      switch behavior {
      case .skip, .delay: (passed, newestIndex)
      // Each deadline has its own tick, so ticks that others have yet to take count before this one.
      case .burst: (seen + 1, takenCount + (seen - settled.seen))
      }
    cursor.seen = ordinal
    if ordinal > takenThrough {
      takenThrough = ordinal
      takenCount = index + 1
    }
    let behind = (interval ?? .zero).nanoseconds.multipliedSaturated(by: passed - ordinal)
    let due = self.due - Interval(nanoseconds: behind)
    return TimerTick(
      date: Date(max(due, fired)), scheduledDate: Date(due), index: Int(clamping: index),
      missedCount: Int(clamping: ordinal - seen - 1), lateness: lateness(of: due).duration)
  }

  private var newestIndex: Int64 { passed > takenThrough ? takenCount : takenCount - 1 }

  /// Notes that a listener has left. `first` is the cursor of the remaining one that joined first. Ticks that
  /// only the leaving listener was owed won't be taken.
  ///
  /// If that cursor is after the ticks that were taken, no listener has taken a tick since the first joined.
  /// So the others, which joined later, are no slower.
  package mutating func listenerLeft(first: TickCursor) {
    takenThrough = max(takenThrough, first.seen, withdrawn)
  }

  /// Up to this cursor no tick is new: each was taken by a listener or withdrawn.
  package var settled: TickCursor { TickCursor(seen: max(takenThrough, withdrawn)) }

  /// Returns whether the tick that was taken last with `cursor` is one of the present schedule.
  func holdsTick(before cursor: TickCursor) -> Bool { cursor.seen > withdrawn }

  /// Drops the ticks that no listener has taken, as the timer has another schedule.
  package mutating func withdraw() {
    withdrawn = passed
    // A firing of the old schedule dates no tick of the new one. So it counts as older, as it does when the
    // clock was set back.
    setBackCount += 1
  }
}
