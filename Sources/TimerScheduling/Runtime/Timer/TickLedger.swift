#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far one listener has come in a timer's ticks.
package struct TickCursor: Sendable, Comparable {
  /// How many of the deadlines that have passed were before the listener came, or were told to it.
  fileprivate var seen: Int64

  /// Where everything is still to be told.
  package static let start = TickCursor(seen: 0)

  /// Where the tick of the first deadline was told.
  static let afterFirst = TickCursor(seen: 1)

  /// Whether the left listener is behind the right one.
  package static func < (left: TickCursor, right: TickCursor) -> Bool { left.seen < right.seen }
}

/// What has fired and who has taken it: the ticks between a timer and its listeners.
///
/// Deadlines are counted as they pass, and each listener has a cursor in that count. So whatever was
/// missed or is owed is a difference of two numbers, for any number of listeners. The dates of ticks that
/// are owed under `.burst` are those of deadlines at even spacing before the newest, whatever was done to
/// the timer in the meantime.
package struct TickLedger: Sendable {
  /// How many deadlines have passed, with the ticks that were fired by hand.
  private var passed: Int64 = 0
  /// Deadlines up to this one aren't owed to anybody any more.
  private var withdrawn: Int64 = 0
  /// When the newest of them was due, on the wall clock.
  private var due = Deadline.never
  /// When the timer fired last, on the wall clock.
  private var fired = Deadline.never
  /// When the timer was resumed, on the wall clock, if the newest of them was due before that.
  private var resumed = Deadline.past

  /// How many ticks were taken, by one listener at least.
  package private(set) var takenCount: Int64 = 0
  /// The newest deadline whose tick was taken.
  private var takenThrough: Int64 = 0
  /// By how much the timer was late at most, when it fired.
  private var greatest = Interval.zero
  /// What ``countAnew()`` has told of.
  private var counted = Count(taken: 0, missed: 0)

  package init() {}

  /// The ledger of a timer that has fired once. If its tick was taken, that was told of, too.
  init(firedAt date: Deadline, lateness: Interval, isTaken: Bool) {
    deadlinesFired(1, at: date, lateness: lateness)
    guard isTaken else { return }
    (takenThrough, takenCount) = (1, 1)
    counted = Count(taken: 1, missed: 0)
  }

  // MARK: Passing

  /// The timer has fired at `date` for `count` deadlines, the newest of them `lateness` late.
  ///
  /// A deadline that passed in a pause is late from the end of the pause, and was due `pause` before that.
  package mutating func deadlinesFired(
    _ count: Int64, at date: Deadline, lateness: Interval, pause: Interval = .zero
  ) {
    passed = passed.addingSaturated(count)
    fired = date
    due = date - lateness - pause
    resumed = pause > .zero ? date - lateness : .past
    greatest = max(greatest, lateness)
  }

  /// While nobody was waiting `count` more deadlines have passed, the newest of them due at `date`.
  ///
  /// Nothing fired for them, so their ticks carry the dates at which they were due.
  package mutating func deadlinesPassed(_ count: Int64, newest date: Deadline) {
    guard count > 0 else { return }
    passed = passed.addingSaturated(count)
    fired = min(fired, date)
    due = date
    resumed = .past
  }

  /// A rule has told of `count` more dates that have passed by `now`, the newest of them `date`.
  ///
  /// The timer may have fired since, for a date before it or by hand, and that firing stands. One after `now` was
  /// by a clock that has been set back.
  package mutating func datesAnswered(_ count: Int64, newest date: Deadline, by now: Deadline) {
    guard count > 0 else { return }
    passed = passed.addingSaturated(count)
    fired = fired <= now ? fired : date
    due = due <= now ? max(due, date) : date
    resumed = .past
  }

  // MARK: What was taken

  /// How many deadlines were missed, in all.
  package var totalMissedCount: Int64 { max(takenThrough - takenCount, 0) }

  /// Whether the tick of the newest deadline was taken by one listener at least.
  package var isNewestTaken: Bool { takenThrough >= passed }

  /// By how much the newest firing was late, or nil before the first.
  package var newestLateness: Interval? { passed > 0 ? lateness(of: due) : nil }

  /// By how much a firing was late at most, or nil before the first.
  package var greatestLateness: Interval? { passed > 0 ? greatest : nil }

  package func owes(_ cursor: TickCursor, _ behavior: MissedTickBehavior, below limit: Int64) -> Bool {
    next(for: cursor, behavior).map { $0.index < limit } ?? false
  }

  /// By how much a deadline among those that the timer fired for was late.
  private func lateness(of due: Deadline) -> Interval {
    let date = max(due, fired)
    return date - max(due, min(resumed, date))
  }

  // MARK: Counting

  package struct Count: Sendable, Equatable {
    package var taken: Int
    package var missed: Int
  }

  /// How many ticks were taken, and how many deadlines missed before them, since this has told of any.
  ///
  /// Nil if no tick was taken that nobody had taken before.
  package mutating func countAnew() -> Count? {
    let taken = Int(clamping: takenCount) - counted.taken
    guard taken > 0 else { return nil }
    let missed = max(Int(clamping: totalMissedCount) - counted.missed, 0)
    counted.taken += taken
    counted.missed += missed
    return Count(taken: taken, missed: missed)
  }

  // MARK: Joining

  /// The place of a listener that comes now and is told of what is yet to pass.
  ///
  /// `isAlone` says that nobody else listens, so that nobody is owed anything.
  package mutating func join(isAlone: Bool) -> TickCursor {
    if isAlone { takenThrough = passed }
    return TickCursor(seen: passed)
  }

  /// The place of a listener that is told of everything, as no tick was taken and nobody else listens.
  package mutating func joinFirst() -> TickCursor {
    takenThrough = 0
    return .start
  }

  // MARK: Handing out

  /// Hands out the listener's next tick, if it is owed one with an index below `limit`.
  package mutating func takeTick(
    for cursor: inout TickCursor, _ behavior: MissedTickBehavior, interval: Interval?, below limit: Int64
  ) -> TimerTick? {
    guard let (ordinal, index) = next(for: cursor, behavior), index < limit else { return nil }
    let seen = max(cursor.seen, withdrawn)
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

  private func next(for cursor: TickCursor, _ behavior: MissedTickBehavior) -> (ordinal: Int64, index: Int64)?
  {
    let seen = max(cursor.seen, withdrawn)
    guard passed > seen else { return nil }
    switch behavior {
    case .skip, .delay:
      return (passed, passed > takenThrough ? takenCount : takenCount - 1)
    case .burst:
      // Each deadline has its tick, so those that others have yet to take count before it.
      return (seen + 1, takenCount - 1 + (seen + 1 - max(takenThrough, withdrawn)))
    }
  }

  /// A listener has left, and `slowest` is the cursor of the slowest one that remains. Ticks that only the listener
  /// that left was owed won't be taken.
  package mutating func listenerLeft(slowest: TickCursor) {
    takenThrough = max(takenThrough, slowest.seen, withdrawn)
  }

  /// The cursor of a listener that is owed nothing but ticks that no listener has taken. What cursors up to this one
  /// are owed was taken by others or withdrawn.
  package var settled: TickCursor { TickCursor(seen: max(takenThrough, withdrawn)) }

  /// The number of deadlines that have passed, and up to which of them no listener is owed a tick any more.
  var progress: (passed: Int64, withdrawn: Int64) { (passed, withdrawn) }

  /// Nobody is owed what has passed by now.
  package mutating func withdraw() {
    withdrawn = passed
  }
}
