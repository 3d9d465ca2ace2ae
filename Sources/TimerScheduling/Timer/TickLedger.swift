#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What has fired and what was taken: the ticks between a timer and whoever takes them.
///
/// Whatever was missed, it is a few numbers: one tick and how many deadlines it stands for, or under
/// `.burst` how many more are owed.
package struct TickLedger: Sendable {
  private struct Untaken {
    /// Deadlines that passed without a tick of their own.
    var missed: Int64
    /// Ticks owed after this one.
    var backlog: Int64
    /// When the tick fired, on the wall clock.
    var date: Deadline
    var lateness: Interval
  }

  private let behavior: MissedTickBehavior
  private var untaken: Untaken?
  package private(set) var takenCount = 0

  package init(_ behavior: MissedTickBehavior) {
    self.behavior = behavior
  }

  package var hasUntaken: Bool { untaken != nil }

  /// How many deadlines the tick that waits to be taken has missed before it.
  package var missedCount: Int64 { untaken?.missed ?? 0 }

  /// The timer has fired for `count` deadlines, the newest of them at `date` and `lateness` late.
  package mutating func noteFired(_ count: Int64, date: Deadline, lateness: Interval, interval: Interval?) {
    switch behavior {
    case .skip, .delay:
      untaken = Untaken(missed: missed(with: count), backlog: 0, date: date, lateness: lateness)
    case .burst:
      let backlog = backlog(with: count)
      let behind = (interval ?? .zero).nanoseconds.multipliedSaturated(by: backlog)
      let oldestLateness = Interval(nanoseconds: lateness.nanoseconds.addingSaturated(behind))
      untaken = Untaken(missed: 0, backlog: backlog, date: date, lateness: oldestLateness)
    }
  }

  /// While a tick was untaken `count` more deadlines have passed, the newest of them due at `date`.
  ///
  /// Nothing fired for them, so their ticks carry the dates at which they were due.
  package mutating func notePassed(_ count: Int64, newest date: Deadline) {
    guard count > 0 else { return }
    switch behavior {
    case .skip, .delay:
      untaken = Untaken(missed: missed(with: count), backlog: 0, date: date, lateness: .zero)
    case .burst:
      let backlog = backlog(with: count)
      untaken?.backlog = backlog
    }
  }

  /// Hands out the tick that waits, if there is one.
  package mutating func takeTick(interval: Interval?) -> TimerTick? {
    guard let tick = untaken else { return nil }
    untaken = nil
    if tick.backlog > 0, let interval {
      // The tick owed next was due an interval later: at the same wakeup, or since.
      var following = tick
      following.backlog -= 1
      following.lateness = Interval(
        nanoseconds: tick.lateness.nanoseconds.subtractingSaturated(interval.nanoseconds))
      if following.lateness < .zero {
        following.date = following.date - following.lateness
        following.lateness = .zero
      }
      untaken = following
    }
    defer { takenCount += 1 }
    return TimerTick(
      date: Date(tick.date), scheduledDate: Date(tick.date - tick.lateness), index: takenCount,
      missedCount: Int(clamping: tick.missed), lateness: tick.lateness.duration)
  }

  /// A new tick makes an untaken one a missed one, as it does with all but the newest of its deadlines.
  private func missed(with count: Int64) -> Int64 {
    (untaken.map { $0.missed + 1 } ?? 0).addingSaturated(count - 1)
  }

  private func backlog(with count: Int64) -> Int64 {
    (untaken.map { $0.backlog + 1 } ?? 0).addingSaturated(count - 1)
  }
}
