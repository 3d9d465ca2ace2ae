import TimerSchedulingFoundation

/// A schedule's deadlines on one of the clocks, without jitter and without an end.
///
/// Deadlines are numbered by ordinals, which rise by one from deadline to deadline.
enum DeadlineSequence: Sendable {
  /// One deadline, with the ordinal 0.
  case once(Deadline, on: Timeline)
  /// A cadence that may be restarted and has no deadline before the ordinal `lowest`.
  case grid(TickGrid, lowest: Int64, on: Timeline)
  /// A cadence fixed on the wall clock: its origin is its offset from 1970, its ordinals count from there, and it is
  /// never moved.
  case aligned(TickGrid)
  /// A countdown, with the ordinals 1 to the number of its steps. One that was ended early keeps its elapsed time.
  indirect case countdown(
    CountdownScale, origin: Deadline, on: Timeline = .monotonic, stoppedAfter: Interval? = nil)
  /// One deadline at a time.
  indirect case rule(RuleDates)

  /// Binds `cadence` to the clocks. A rule is asked for its first date on the caller's thread.
  init(_ cadence: TimerSchedule.Cadence, at reading: ClockReading) {
    let now = reading.monotonic
    switch cadence {
    case .once(let delay): self = .once(now + delay, on: .monotonic)
    case .onceAt(let date): self = .once(Deadline(date), on: .wall)
    case .every(let interval, .afterInterval): self.init(every: interval, from: now + interval)
    case .every(let interval, .immediately): self.init(every: interval, from: now)
    case .every(let interval, .after(let delay)): self.init(every: interval, from: now + Interval(delay))
    case .every(let interval, .at(let date)):
      let origin = date.cadenceOrigin
      if origin > Int128(reading.wall.nanoseconds) {
        self = .grid(TickGrid(origin: Deadline(date), interval: interval), lowest: 0, on: .wall)
      } else {
        let grid = TickGrid(through: origin, interval: interval, at: reading.wall)
        self = .grid(grid, lowest: .min, on: .wall)
      }
    case .every(let interval, .aligned(let offset)):
      let origin = Deadline(nanoseconds: 0) + Interval(offset)
      self = .aligned(TickGrid(origin: origin, interval: interval))
    case .countdown(let scale): self = .countdown(scale, origin: now)
    case .countdownUntil(let date, let step):
      let (scale, elapsed) = CountdownScale.until(date, every: step, at: reading.wall)
      self = .countdown(scale, origin: reading.wall - elapsed, on: .wall)
    case .rule(let rule): self = .rule(RuleDates(of: rule, after: Date(reading.wall)))
    }
  }

  /// Creates deadlines on the monotonic clock, of which `first` has the ordinal 0.
  init(every interval: Interval, from first: Deadline) {
    self = .grid(TickGrid(origin: first, interval: interval), lowest: 0, on: .monotonic)
  }

  /// Returns the ordinal of the first deadline for a timer that is made now.
  func firstOrdinal(at reading: ClockReading) -> Int64 {
    switch self {
    case .once, .grid, .rule: 0
    case .aligned(let grid): grid.newestOrdinal(at: reading.wall).addingSaturated(1)
    case .countdown: 1
    }
  }

  var timeline: Timeline {
    switch self {
    case .once(_, let timeline), .grid(_, _, let timeline), .countdown(_, _, let timeline, _): timeline
    case .aligned, .rule: .wall
    }
  }

  var interval: Interval? {
    switch self {
    case .grid(let grid, _, _), .aligned(let grid): grid.interval
    case .countdown(let scale, _, _, _): scale.step
    case .once, .rule: nil
    }
  }

  /// Whether the deadlines are dates on the wall clock, which are never moved.
  var isBoundToDates: Bool {
    switch self {
    case .once(_, let timeline), .countdown(_, _, let timeline, _): timeline == .wall
    case .aligned, .rule: true
    case .grid: false
    }
  }

  var dates: RuleDates? {
    get { if case .rule(let dates) = self { dates } else { nil } }
    set { if let newValue { self = .rule(newValue) } }
  }

  // MARK: Ordinals

  func deadline(_ ordinal: Int64) -> Deadline? {
    switch self {
    case .once(let deadline, _): ordinal == 0 ? deadline : nil
    case .grid(let grid, _, _), .aligned(let grid): grid.deadline(ordinal)
    case .countdown(let scale, let origin, _, _):
      ordinal <= scale.stepCount ? origin + scale.time(ofStep: ordinal) : nil
    case .rule(let dates): dates.upcoming.map { Deadline($0) }
    }
  }

  /// Returns the ordinal of the newest deadline that has passed by `now`, or `next - 1` if none has since.
  func newestOrdinal(at now: Deadline, from next: Int64) -> Int64 {
    switch self {
    case .grid(let grid, _, _), .aligned(let grid): return max(grid.newestOrdinal(at: now), next - 1)
    case .countdown(let scale, let origin, _, _): return max(scale.step(after: now - origin), next - 1)
    case .once, .rule:
      guard let deadline = deadline(next), deadline <= now else { return next - 1 }
      return next
    }
  }

  /// The ordinal of the last deadline, if there is one and it is known.
  var lastOrdinal: Int64? {
    if case .countdown(let scale, _, _, _) = self { scale.stepCount } else { nil }
  }

  /// Follows a wall clock that was set back so that earlier deadlines come again, and returns the ordinal to continue
  /// with, which otherwise is `next`. The deadline `served` last isn't served twice.
  @discardableResult
  mutating func rejoin(_ next: Int64, served: Int64?, at now: Deadline) -> Int64 {
    var candidate: Int64
    switch self {
    case .grid(let grid, let lowest, on: .wall):
      candidate = max(grid.newestOrdinal(at: now).addingSaturated(1), lowest)
    case .aligned(let grid): candidate = grid.newestOrdinal(at: now).addingSaturated(1)
    case .countdown:
      rejoinCountdown(with: next, at: now)
      return next
    case .once, .grid, .rule: return next
    }
    if candidate == served { candidate = candidate.addingSaturated(1) }
    return min(candidate, next)
  }

  // MARK: Changes

  /// Makes `now` the deadline with the ordinal 0. Returns false if there is no cadence that can be moved.
  mutating func restart(at now: Deadline) -> Bool {
    switch self {
    case .grid(let grid, _, let timeline):
      self = .grid(TickGrid(origin: now, interval: grid.interval), lowest: .min, on: timeline)
      return true
    case .once, .aligned, .countdown, .rule:
      return false
    }
  }

  /// Gives the value of a countdown to a date that fits `now` the number `next`, if the wall clock was set back. So that
  /// value comes at once, and the others follow.
  private mutating func rejoinCountdown(with next: Int64, at now: Deadline) {
    guard case .countdown(let scale, let origin, on: .wall, nil) = self,
      now < origin + scale.time(ofStep: next - 1)
    else { return }
    let step = scale.step.nanoseconds
    let count = next.subtractingSaturated((now - origin).nanoseconds.dividedRoundingDown(by: step).quotient)
    guard let longer = scale.preceded(by: count) else { return }
    self = .countdown(longer, origin: origin - Interval(nanoseconds: step * count), on: .wall)
  }

  /// Moves every deadline later by `interval`. Returns false if the deadlines are dates on the wall clock.
  mutating func shift(by interval: Interval) -> Bool {
    switch self {
    case .once(let deadline, on: .monotonic):
      self = .once(deadline + interval, on: .monotonic)
    case .grid(var grid, let lowest, let timeline):
      // The wall clock may have been set by more than an interval can hold.
      if grid.origin < .never {
        grid.origin.nanoseconds = grid.origin.nanoseconds.addingSaturated(interval.nanoseconds)
      }
      self = .grid(grid, lowest: lowest, on: timeline)
    case .countdown(let scale, let origin, on: .monotonic, let elapsed):
      self = .countdown(scale, origin: origin + interval, stoppedAfter: elapsed)
    case .once, .countdown, .aligned, .rule:
      return false
    }
    return true
  }
}
