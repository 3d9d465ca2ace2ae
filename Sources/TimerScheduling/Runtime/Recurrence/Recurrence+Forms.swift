import TimerSchedulingFoundation

/// The answers that depend on the form of the deadlines.
extension Recurrence {
  init(_ cadence: TimerSchedule.Cadence, at now: Deadline, reading: () -> ClockReading) {
    switch cadence {
    case .once(let delay): self.init(now + delay, on: .monotonic)
    case .onceAt(let date): self.init(Deadline(date), on: .wall)
    case .every(let interval, .afterInterval): self.init(every: interval, from: now + interval)
    case .every(let interval, .immediately): self.init(every: interval, from: now)
    case .every(let interval, .after(let delay)): self.init(every: interval, from: now + Interval(delay))
    case .every(let interval, .at(let date)):
      let (origin, wall) = (date.cadenceOrigin, reading().wall)
      let isAhead = origin > Int128(wall.nanoseconds)
      let grid =
        isAhead
        ? TickGrid(origin: Deadline(date), interval: interval)
        : TickGrid(through: origin, interval: interval, at: wall)
      self.init(.grid(grid, isEndless: !isAhead), on: .wall)
    case .every(let interval, .aligned(let offset)):
      let grid = TickGrid(origin: Deadline(nanoseconds: 0) + Interval(offset), interval: interval)
      self.init(.aligned(grid), on: .wall, next: grid.newestOrdinal(at: reading().wall).addingSaturated(1))
    case .countdown(let scale): self.init(.countdown(scale, origin: now), on: .monotonic, next: 1)
    case .countdownUntil(let date, let step):
      let wall = reading().wall
      let (scale, elapsed) = CountdownScale.until(date, every: step, at: wall)
      self.init(.countdown(scale, origin: wall - elapsed), on: .wall, next: 1)
    case .rule(let rule): self.init(.rule(RuleDates(of: rule, after: Date(reading().wall))), on: .wall)
    }
  }

  private init(every interval: Interval, from first: Deadline) {
    self.init(.grid(TickGrid(origin: first, interval: interval), isEndless: false), on: .monotonic)
  }

  private init(_ form: Form, on timeline: Timeline, next: Int64 = 0) {
    self.init(.past, on: timeline)
    self.form = form
    self.next = next
  }

  package var interval: Interval? {
    switch form {
    case .grid(let grid, _), .aligned(let grid): grid.interval
    case .countdown(let scale, _, _): scale.step
    case .single, .rule: nil
    }
  }

  /// Whether the deadlines are dates on the wall clock, which pauses don't move.
  var isBoundToDates: Bool {
    switch form {
    case .single, .countdown: timeline == .wall
    case .aligned, .rule: true
    case .grid: false
    }
  }

  var isOnce: Bool { if case .single = form { true } else { false } }
  var isByRule: Bool { if case .rule = form { true } else { false } }
  var isCountdown: Bool { if case .countdown = form { true } else { false } }

  var dates: RuleDates? {
    get { if case .rule(let dates) = form { dates } else { nil } }
    set { if let newValue { form = .rule(newValue) } }
  }

  /// Returns a deadline without its jitter.
  @inline(__always)
  func deadline(_ ordinal: Int64) -> Deadline? {
    switch form {
    case .single(let deadline): ordinal == 0 ? deadline : nil
    case .grid(let grid, _), .aligned(let grid): grid.deadline(ordinal)
    case .countdown(let scale, let origin, _):
      ordinal <= scale.stepCount ? origin + scale.time(ofStep: ordinal) : nil
    case .rule(let dates): dates.upcoming.map { Deadline($0) }
    }
  }

  /// Returns the ordinal of the newest deadline that has passed by `now`, at least that before `next`.
  @inline(__always)
  func newestOrdinal(at now: Deadline) -> Int64 {
    switch form {
    case .grid(let grid, _), .aligned(let grid): max(grid.newestOrdinal(at: now), next - 1)
    case .countdown(let scale, let origin, _): max(scale.step(after: now - origin), next - 1)
    case .single, .rule: deadline(next).map { $0 <= now } ?? false ? next : next - 1
    }
  }

  /// The ordinal of the last deadline, if there is one and it is known.
  var lastOrdinal: Int64? {
    if case .countdown(let scale, _, _) = form { scale.stepCount } else { nil }
  }

  /// Moves every deadline later. They aren't dates.
  mutating func move(by pause: Interval) {
    switch form {
    case .single(let deadline): form = .single(deadline + pause)
    case .grid(var grid, let isEndless):
      // The wall clock may have been set by more than an interval can hold.
      if grid.origin < .never {
        grid.origin.nanoseconds = grid.origin.nanoseconds.addingSaturated(pause.nanoseconds)
      }
      form = .grid(grid, isEndless: isEndless)
    case .countdown(let scale, let origin, let elapsed):
      form = .countdown(scale, origin: origin + pause, stoppedAfter: elapsed)
    case .aligned, .rule: break
    }
  }

  /// Goes on after `now`, at which the wall clock was set back from `old`: earlier deadlines come again, but
  /// not the one `served` last. The dates of a rule may have been left out up to `now` without a clock that
  /// was set back.
  mutating func jump(from old: Deadline, to now: Deadline, isSetBack: Bool = true) {
    var candidate: Int64
    switch form {
    case .grid(let grid, let isEndless):
      candidate = max(grid.newestOrdinal(at: now).addingSaturated(1), isEndless ? .min : 0)
    case .aligned(let grid): candidate = grid.newestOrdinal(at: now).addingSaturated(1)
    case .rule:
      // No date after the last one has passed.
      let last = until ?? .never
      dates?.jump(from: old, to: now, isSetBack: isSetBack, until: last)
      return
    case .countdown: return rejoinCountdown(at: now)
    case .single: return
    }
    if candidate == served { candidate = candidate.addingSaturated(1) }
    next = min(candidate, next)
  }

  /// Goes back to the value that fits `now`, if the wall clock was set back. It comes at once, and the others
  /// follow.
  mutating func rejoinCountdown(at now: Deadline) {
    guard case .countdown(let scale, let origin, stoppedAfter: nil) = form,
      now < origin + scale.time(ofStep: next - 1)
    else { return }
    let step = scale.step.nanoseconds
    let count = next.subtractingSaturated((now - origin).nanoseconds.dividedRoundingDown(by: step).quotient)
    guard let longer = scale.preceded(by: count) else { return }
    form = .countdown(longer, origin: origin - Interval(nanoseconds: step * count))
  }

  /// Returns the scale of a countdown and its elapsed time, also right after the clock was set back.
  func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    guard isCountdown else { return nil }
    var present = self
    if timeline == .wall { present.rejoinCountdown(at: reading[timeline]) }
    guard case .countdown(let scale, let origin, let elapsed) = present.form else { return nil }
    return (scale, elapsed ?? reading[timeline] - origin)
  }

  /// Moves a countdown's end, but not before the present.
  mutating func extendCountdown(by interval: Interval, at reading: ClockReading) {
    guard let (scale, elapsed) = countdown(at: reading) else { return }
    let (extended, newElapsed) = scale.extended(by: interval, after: elapsed)
    form = .countdown(extended, origin: reading[timeline] - newElapsed)
    let end = reading[timeline] - newElapsed + extended.total
    cadence = timeline == .wall ? .countdownUntil(end.date, every: extended.step) : .countdown(extended)
  }

  /// Has a countdown keep its value from now on.
  mutating func stop(_ scale: CountdownScale, after elapsed: Interval) {
    form = .countdown(scale, origin: .past, stoppedAfter: elapsed)
  }
}

extension Deadline {
  /// The date of a deadline on the wall clock. That of the clock's end would be a date just before it.
  var date: Date { self == .never ? .distantFuture : Date(self) }
}
