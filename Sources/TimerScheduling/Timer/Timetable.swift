#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A schedule bound to the clocks: which deadlines there are, and on which clock.
///
/// Deadlines are numbered by ordinals, which rise by one from deadline to deadline.
package struct Timetable: Sendable {
  private enum Deadlines {
    /// One deadline, with the ordinal 0.
    case once(Deadline)
    /// A cadence that may be restarted and has no deadline before the ordinal `lowest`.
    case grid(TickGrid, lowest: Int64)
    /// A cadence of the wall clock's own.
    case aligned(TickGrid)
    /// One deadline at a time. `last` is the date from which the rule goes on.
    indirect case rule(any TickRule, last: Date, upcoming: Date?)
    /// None any more.
    case ended
  }

  private var deadlines: Deadlines
  package let timeline: Timeline
  /// The ordinal of the first deadline.
  package let firstOrdinal: Int64

  /// Binds `cadence` to the clocks. A rule is asked for its first date, on the caller's thread.
  package init(_ cadence: TimerSchedule.Cadence, at reading: ClockReading) {
    let now = reading.monotonic
    switch cadence {
    case .once(let delay):
      self.init(.once(now + delay), on: .monotonic)
    case .onceAt(let date):
      self.init(.once(Deadline(date)), on: .wall)
    case .every(let interval, .afterInterval):
      let grid = TickGrid(origin: now, interval: interval)
      self.init(.grid(grid, lowest: 0), on: .monotonic, first: 1)
    case .every(let interval, .immediately):
      self.init(.grid(TickGrid(origin: now, interval: interval), lowest: 0), on: .monotonic)
    case .every(let interval, .after(let delay)):
      let grid = TickGrid(origin: now + Interval(delay), interval: interval)
      self.init(.grid(grid, lowest: 0), on: .monotonic)
    case .every(let interval, .at(let date)):
      let grid = TickGrid(origin: Deadline(date), interval: interval)
      if grid.origin > reading.wall {
        self.init(.grid(grid, lowest: 0), on: .wall)
      } else {
        self.init(.grid(grid.rebased(at: reading.wall), lowest: .min), on: .wall)
      }
    case .every(let interval, .aligned):
      let grid = TickGrid(origin: Deadline(nanoseconds: 0), interval: interval)
      self.init(.aligned(grid), on: .wall, first: grid.newestOrdinal(at: reading.wall).addingSaturated(1))
    case .rule(let rule):
      let now = Date(reading.wall)
      self.init(.rule(rule, last: now, upcoming: rule.firstTick(after: now)), on: .wall)
    }
  }

  private init(_ deadlines: Deadlines, on timeline: Timeline, first: Int64 = 0) {
    self.deadlines = deadlines
    self.timeline = timeline
    firstOrdinal = first
  }

  /// The deadline with the number `ordinal`, or nil when there is none.
  package func deadline(_ ordinal: Int64) -> Deadline? {
    switch deadlines {
    case .once(let deadline): ordinal == 0 ? deadline : nil
    case .grid(let grid, _), .aligned(let grid): grid.deadline(ordinal)
    case .rule(_, _, let upcoming): upcoming.map { Deadline($0) }
    case .ended: nil
    }
  }

  /// The spacing of the cadence, if there is one.
  package var interval: Interval? {
    switch deadlines {
    case .grid(let grid, _), .aligned(let grid): grid.interval
    case .once, .rule, .ended: nil
    }
  }

  /// The ordinal of the newest deadline that has passed by `now`, or `next - 1` where none has since.
  package func newestOrdinal(at now: Deadline, from next: Int64) -> Int64 {
    switch deadlines {
    case .grid(let grid, _), .aligned(let grid): return max(grid.newestOrdinal(at: now), next - 1)
    case .once, .rule, .ended:
      guard let deadline = deadline(next), deadline <= now else { return next - 1 }
      return next
    }
  }

  /// The ordinal to go on with: `next`, unless the wall clock was set back, so that deadlines come again
  /// before it. The deadline `served` last isn't served twice.
  package func rejoining(_ next: Int64, served: Int64?, at now: Deadline) -> Int64 {
    guard timeline == .wall else { return next }
    var candidate: Int64
    switch deadlines {
    case .grid(let grid, let lowest): candidate = max(grid.newestOrdinal(at: now).addingSaturated(1), lowest)
    case .aligned(let grid): candidate = grid.newestOrdinal(at: now).addingSaturated(1)
    case .once, .rule, .ended: return next
    }
    if candidate == served { candidate = candidate.addingSaturated(1) }
    return min(candidate, next)
  }

  /// Makes `now` the deadline with the ordinal 0, or returns false where the cadence is the wall clock's.
  package mutating func restart(at now: Deadline) -> Bool {
    switch deadlines {
    case .grid(let grid, _):
      deadlines = .grid(TickGrid(origin: now, interval: grid.interval), lowest: .min)
      return true
    case .once, .aligned, .rule, .ended:
      return false
    }
  }

  // MARK: Rules

  /// Whether the deadlines come from a rule, one at a time.
  package var isByRule: Bool {
    switch deadlines {
    case .rule: true
    case .once, .grid, .aligned, .ended: false
    }
  }

  /// The question for the date after the last, where the deadlines come from a rule.
  package func query(at now: Deadline, missedTicks: MissedTickBehavior) -> RuleQuery? {
    switch deadlines {
    case .rule(let rule, let last, _):
      RuleQuery(rule: rule, last: last, now: Date(now), missedTicks: missedTicks)
    case .once, .grid, .aligned, .ended:
      nil
    }
  }

  /// Takes up what the rule has answered.
  package mutating func adopt(_ answer: RuleQuery.Answer) {
    switch deadlines {
    case .rule(let rule, _, _): deadlines = .rule(rule, last: answer.newest, upcoming: answer.next)
    case .once, .grid, .aligned, .ended: break
    }
  }

  /// The date a rule gave has come, and is the one from which the rule goes on.
  package mutating func noteRuleFired() {
    switch deadlines {
    case .rule(let rule, let last, let upcoming):
      deadlines = .rule(rule, last: upcoming ?? last, upcoming: nil)
    case .once, .grid, .aligned, .ended:
      break
    }
  }

  /// Ends the timetable and returns the rule it held, to be released where no lock is held.
  package mutating func end() -> (any TickRule)? {
    defer { deadlines = .ended }
    switch deadlines {
    case .rule(let rule, _, _): return rule
    case .once, .grid, .aligned, .ended: return nil
    }
  }
}
