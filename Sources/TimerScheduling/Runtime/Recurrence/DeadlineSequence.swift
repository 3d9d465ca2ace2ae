#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A schedule's deadlines, bound to one of the clocks.
///
/// Deadlines are numbered by ordinals, which rise by one from deadline to deadline.
package struct DeadlineSequence: Sendable {
  enum Deadlines {
    /// One deadline, with the ordinal 0.
    case once(Deadline)
    /// A cadence that may be restarted and has no deadline before the ordinal `lowest`.
    case grid(TickGrid, lowest: Int64)
    /// A cadence fixed on the wall clock.
    case aligned(TickGrid)
    /// A countdown, with the ordinals 1 to the number of its steps.
    indirect case countdown(CountdownScale, origin: Deadline)
    /// A countdown that was ended early.
    indirect case stopped(CountdownScale, elapsed: Interval)
    /// One deadline at a time. The rule continues from the date `last`.
    indirect case rule(any TickRule, last: Date, upcoming: Date?)
    /// No deadlines any more.
    case ended
  }

  var deadlines: Deadlines
  package let timeline: Timeline
  /// The ordinal of the first deadline.
  package let firstOrdinal: Int64

  /// Binds `cadence` to the clocks. A rule is asked for its first date on the caller's thread.
  package init(_ cadence: TimerSchedule.Cadence, at reading: ClockReading) {
    switch cadence {
    case .once(let delay): self.init(onceAt: reading.monotonic + delay, on: .monotonic)
    case .onceAt(let date): self.init(onceAt: Deadline(date), on: .wall)
    case .every(let interval, .afterInterval): self.init(every: interval, from: reading.monotonic)
    case .every(let interval, .immediately): self.init(every: interval, from: reading.monotonic - interval)
    case .every(let interval, .after(let delay)):
      self.init(every: interval, from: reading.monotonic + Interval(delay) - interval)
    case .every(let interval, .at(let date)):
      let origin = date.cadenceOrigin
      if origin > Int128(reading.wall.nanoseconds) {
        self.init(.grid(TickGrid(origin: Deadline(date), interval: interval), lowest: 0), on: .wall)
      } else {
        let grid = TickGrid(through: origin, interval: interval, at: reading.wall)
        self.init(.grid(grid, lowest: .min), on: .wall)
      }
    case .every(let interval, .aligned):
      let grid = TickGrid(origin: Deadline(nanoseconds: 0), interval: interval)
      self.init(.aligned(grid), on: .wall, first: grid.newestOrdinal(at: reading.wall).addingSaturated(1))
    case .countdown(let scale):
      self.init(.countdown(scale, origin: reading.monotonic), on: .monotonic, first: 1)
    case .rule(let rule):
      let now = Date(reading.wall)
      self.init(.rule(rule, last: now, upcoming: rule.firstTick(after: now)), on: .wall)
    }
  }

  /// Creates a sequence of one deadline.
  init(onceAt deadline: Deadline, on timeline: Timeline) {
    self.init(.once(deadline), on: timeline)
  }

  /// Creates deadlines on the monotonic clock, the first one interval after `origin`.
  init(every interval: Interval, from origin: Deadline) {
    self.init(.grid(TickGrid(origin: origin, interval: interval), lowest: 0), on: .monotonic, first: 1)
  }

  /// A sequence without deadlines.
  static var ended: DeadlineSequence { DeadlineSequence(.ended, on: .monotonic) }

  private init(_ deadlines: Deadlines, on timeline: Timeline, first: Int64 = 0) {
    self.deadlines = deadlines
    self.timeline = timeline
    firstOrdinal = first
  }

  /// Returns the deadline with the number `ordinal`, or nil if there is none.
  package func deadline(_ ordinal: Int64) -> Deadline? {
    switch deadlines {
    case .once(let deadline): ordinal == 0 ? deadline : nil
    case .grid(let grid, _), .aligned(let grid): grid.deadline(ordinal)
    case .countdown(let scale, let origin):
      ordinal <= scale.stepCount ? origin + scale.time(ofStep: ordinal) : nil
    case .rule(_, _, let upcoming): upcoming.map { Deadline($0) }
    case .stopped, .ended: nil
    }
  }

  /// The spacing of the cadence, if there is one.
  package var interval: Interval? {
    switch deadlines {
    case .grid(let grid, _), .aligned(let grid): grid.interval
    case .countdown(let scale, _): scale.step
    case .once, .rule, .stopped, .ended: nil
    }
  }

  /// Returns the scale of a countdown and its elapsed time.
  package func countdown(at now: Deadline) -> (scale: CountdownScale, elapsed: Interval)? {
    switch deadlines {
    case .countdown(let scale, let origin): (scale, now - origin)
    case .stopped(let scale, let elapsed): (scale, elapsed)
    case .once, .grid, .aligned, .rule, .ended: nil
    }
  }

  package var isCountdown: Bool {
    switch deadlines {
    case .countdown, .stopped: true
    case .once, .grid, .aligned, .rule, .ended: false
    }
  }

  /// Moves the end of a countdown, but not before `now`.
  package mutating func extendCountdown(by interval: Interval, at now: Deadline) {
    switch deadlines {
    case .countdown(let scale, let origin):
      let (extended, elapsed) = scale.extended(by: interval, after: now - origin)
      deadlines = .countdown(extended, origin: now - elapsed)
    case .once, .grid, .aligned, .rule, .stopped, .ended: break
    }
  }

  /// Stops a countdown at its present value.
  package mutating func stop(at now: Deadline) {
    switch deadlines {
    case .countdown(let scale, let origin): deadlines = .stopped(scale, elapsed: now - origin)
    case .once, .grid, .aligned, .rule, .stopped, .ended: break
    }
  }

  /// The ordinal of the last deadline, if there is one and it is known.
  package var lastOrdinal: Int64? {
    switch deadlines {
    case .countdown(let scale, _): scale.stepCount
    case .once, .grid, .aligned, .rule, .stopped, .ended: nil
    }
  }

  /// Returns the ordinal of the newest deadline that has passed by `now`, or `next - 1` if none has since.
  package func newestOrdinal(at now: Deadline, from next: Int64) -> Int64 {
    switch deadlines {
    case .grid(let grid, _), .aligned(let grid): return max(grid.newestOrdinal(at: now), next - 1)
    case .countdown(let scale, let origin): return max(scale.step(after: now - origin), next - 1)
    case .once, .rule, .stopped, .ended:
      guard let deadline = deadline(next), deadline <= now else { return next - 1 }
      return next
    }
  }

  /// Returns the ordinal to continue with. It is `next`, unless the wall clock was set back so that earlier deadlines
  /// come again. The deadline `served` last isn't served twice.
  package func rejoining(_ next: Int64, served: Int64?, at now: Deadline) -> Int64 {
    guard timeline == .wall else { return next }
    var candidate: Int64
    switch deadlines {
    case .grid(let grid, let lowest): candidate = max(grid.newestOrdinal(at: now).addingSaturated(1), lowest)
    case .aligned(let grid): candidate = grid.newestOrdinal(at: now).addingSaturated(1)
    case .once, .countdown, .rule, .stopped, .ended: return next
    }
    if candidate == served { candidate = candidate.addingSaturated(1) }
    return min(candidate, next)
  }

  /// Makes `now` the deadline with the ordinal 0. Returns false if the cadence is fixed on the wall clock.
  package mutating func restart(at now: Deadline) -> Bool {
    switch deadlines {
    case .grid(let grid, _):
      deadlines = .grid(TickGrid(origin: now, interval: grid.interval), lowest: .min)
      return true
    case .once, .countdown, .aligned, .rule, .stopped, .ended:
      return false
    }
  }

  /// Moves every deadline later by `interval`. Returns false if the deadlines are dates on the wall clock.
  package mutating func shift(by interval: Interval) -> Bool {
    switch deadlines {
    case .once(let deadline) where timeline == .monotonic:
      deadlines = .once(deadline + interval)
      return true
    case .grid(var grid, let lowest):
      grid.origin = grid.origin + interval
      deadlines = .grid(grid, lowest: lowest)
      return true
    case .countdown(let scale, let origin):
      deadlines = .countdown(scale, origin: origin + interval)
      return true
    case .once, .aligned, .rule, .stopped, .ended:
      return false
    }
  }

  /// Whether the deadlines are dates on the wall clock, which are never moved.
  package var isBoundToDates: Bool {
    switch deadlines {
    case .once: timeline == .wall
    case .aligned, .rule: true
    case .grid, .countdown, .stopped, .ended: false
    }
  }

  /// Whether there is a single deadline.
  package var isOnce: Bool {
    switch deadlines {
    case .once: true
    case .grid, .aligned, .countdown, .rule, .stopped, .ended: false
    }
  }
}
