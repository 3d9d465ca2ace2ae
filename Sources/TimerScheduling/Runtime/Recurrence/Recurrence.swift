/// The deadlines of one timer, numbered by ordinals, with what has passed, their jitter and their end.
package struct Recurrence: Sendable {
  /// The deadlines without jitter and without an end.
  enum Form: Sendable {
    /// One deadline, with the ordinal 0.
    case single(Deadline)
    /// A cadence that may be restarted and, unless it is endless, has no deadline before its origin.
    case grid(TickGrid, isEndless: Bool)
    /// A cadence fixed on the wall clock, whose origin is its offset from 1970.
    case aligned(TickGrid)
    /// A countdown, with the ordinals 1 to its number of steps. One ended early keeps its elapsed time.
    indirect case countdown(CountdownScale, origin: Deadline, stoppedAfter: Interval? = nil)
    /// One deadline at a time.
    indirect case rule(RuleDates)
  }

  // First comes what each tick uses. Properties that need less than a word lie in the padding of the one
  // before.
  var form: Form
  package private(set) var timeline: Timeline
  /// The ordinal of the first deadline that hasn't passed.
  var next: Int64 = 0
  /// The ordinal of the last deadline that has passed, or the least number before the first.
  private(set) var served = Int64.min
  /// The schedule's options, with its tolerance.
  private(set) var options = TimerSchedule.Options()
  /// Nil for a single deadline that has passed.
  var cadence: TimerSchedule.Cadence?
  private var jitterSeed: UInt64 = 0
  /// The time by which pauses have moved the deadlines.
  private var shift = Interval.zero

  init(_ deadline: Deadline, on timeline: Timeline) {
    form = .single(deadline)
    self.timeline = timeline
  }

  /// Creates the deadlines of a timer whose single deadline has passed.
  init() {
    self.init(.past, on: .monotonic)
    next = 1
  }

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  ///
  /// `now` is the time of the monotonic clock. Most schedules need no more.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval = .zero, jitterSeed: @autoclosure () -> UInt64,
    at now: Deadline, reading: () -> ClockReading
  ) {
    // Not by delegation, which copies the result.
    var bound = Recurrence(schedule.cadence, at: now, reading: reading)
    bound.cadence = schedule.cadence
    bound.options = schedule.options
    // With a tolerance of more than half the interval, one late tick would make the next one missed.
    let most = bound.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    let tolerance = min(bound.options.tolerance ?? defaultTolerance, most)
    bound.options.tolerance = tolerance > .zero ? tolerance : nil
    // It says only how the timer starts.
    bound.options.isPaused = false
    if bound.options.includesStart { bound.next = 0 }
    if bound.options.jitter > .zero { bound.jitterSeed = jitterSeed() }
    let jitter = bound.jitter
    if bound.isByRule, jitter.most > .zero || tolerance > .zero { bound.dates?.bound(jitter) }
    self = bound
  }

  /// The schedule, with its tolerance. Nil for a single deadline that has passed.
  var schedule: TimerSchedule? {
    get { cadence.map { TimerSchedule(cadence: $0, options: options) } }
    set {
      cadence = newValue?.cadence
      options = newValue?.options ?? TimerSchedule.Options()
    }
  }

  var until: Deadline? { options.until }
  private var jitter: Jitter { Jitter(most: options.jitter, seed: jitterSeed) }
  package var missedTicks: MissedTickBehavior { options.missedTicks }
  package var tolerance: Interval {
    guard let tolerance = options.tolerance else { return .zero }
    return dates.map { min(tolerance, Interval(nanoseconds: $0.distance.nanoseconds / 2)) } ?? tolerance
  }
  package var limit: Int64 { options.limit.map { Int64($0) } ?? .max }

  /// The delay of a schedule that is one, or zero.
  var delay: Interval { if case .once(let delay)? = cadence { delay } else { .zero } }

  /// The only deadline of a timer that has no more to remember.
  var plainDeadline: Deadline? {
    guard case .single(let deadline) = form, options.isPlain else { return nil }
    return deadline
  }

  /// Returns the first deadline that hasn't passed. The clocks are read only if it depends on them.
  package mutating func upcoming(at reading: @autoclosure () -> ClockReading) -> Deadline? {
    guard let due = due(next) else { return nil }
    return until == nil || due <= horizon(at: reading()) ? due : nil
  }

  /// Returns the last deadline of all, if there is one, it is known, and it is still ahead. There may be a
  /// next deadline but no last, if both lie beyond the clock's range.
  package mutating func lastDeadline(after reading: ClockReading) -> Deadline? {
    var last: Deadline?
    if let lastOrdinal {
      last = due(lastOrdinal)
    } else if until != nil, interval != nil {
      let horizon = horizon(at: reading)
      last = due(newestOrdinal(at: horizon)).map { min($0, horizon) }
    }
    return last.flatMap { $0 > reading[timeline] ? $0 : nil }
  }

  package typealias Passed = (count: Int64, newest: Deadline)

  package mutating func pass(at reading: ClockReading) -> Passed? {
    let now = min(reading[timeline], horizon(at: reading))
    // The last ordinal is never passed, so that there is always a next one.
    var newest = min(newestOrdinal(at: now), .max - 1)
    guard newest >= next, var due = due(newest) else { return nil }
    if due > now {
      // Of all that have passed, only the newest may not be due yet because of its jitter.
      newest -= 1
      guard newest >= next, let before = self.due(newest) else { return nil }
      due = before
    }
    let passed = (count: newest.subtractingSaturated(next).addingSaturated(1), newest: due)
    serve(newest)
    if isByRule { dates?.pass() }
    return passed
  }

  /// Follows a wall clock that was set back since the reading by which the deadlines were computed, which is
  /// as long as they are valid. Up to the change they pass by the time that the clock showed, and then they
  /// come by the new time.
  ///
  /// Returns the reading just after the change, and the deadlines that have passed before. Nil if nothing has
  /// changed.
  mutating func follow(
    _ reading: ClockReading, since earlier: ClockReading
  ) -> (change: ClockReading, passed: Passed?)? {
    guard timeline == .wall, let (before, after) = reading.setBack(since: earlier) else { return nil }
    // A single date stays, whatever the clock has shown.
    let passed = isOnce ? nil : pass(at: before)
    jump(from: before.wall, to: after.wall)
    return (after, passed)
  }

  /// Begins a new cadence at this moment, unless it is fixed on the wall clock.
  package mutating func restart(at reading: ClockReading) {
    guard case .grid(let grid, _) = form else { return }
    form = .grid(TickGrid(origin: reading[timeline], interval: grid.interval), isEndless: true)
    shift = .zero
    serve(0)
  }

  /// Moves the deadlines later by the time from `since`. Returns false if they are dates on the wall clock.
  package mutating func postpone(from since: ClockReading, to reading: ClockReading) -> Bool {
    guard !isBoundToDates else { return false }
    let pause = reading[timeline] - since[timeline]
    move(by: pause)
    shift = Interval(nanoseconds: shift.nanoseconds.addingSaturated(pause.nanoseconds))
    return true
  }

  /// Leaves out the deadlines of a pause. A single deadline stays, as does the last of a countdown.
  package mutating func skip(from since: ClockReading, to reading: ClockReading) {
    if isByRule {
      jump(from: since.wall, to: reading.wall, isSetBack: reading.isSetBack(since: since))
    } else if let last = lastOrdinal, let end = due(last), end <= reading[timeline] {
      next = max(next, last)
    } else if !isOnce {
      if timeline == .wall, reading.isSetBack(since: since) { jump(from: since.wall, to: reading.wall) }
      _ = pass(at: reading)
    }
  }

  /// Whether the rule, if there is one, has given the next date.
  package var hasDate: Bool { deadline(next) != nil }

  package func question(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuestion? {
    dates?.question(at: min(reading.wall, horizon(at: reading)), missedTicks: missedTicks)
  }

  package mutating func accept(_ answer: RuleQuestion.Answer) { dates = answer.dates }

  /// Leaves out the dates of a rule that it hasn't been asked for.
  mutating func forgetDates(at reading: ClockReading) { if !hasDate { dates?.goOn(from: reading.wall) } }

  /// Ends the deadlines of a rule, and returns the rule.
  mutating func end() -> (any TickRule)? {
    guard let rule = dates?.rule else { return nil }
    self = Recurrence()
    return rule
  }

  /// Returns whether the date has passed after which there are no more ticks.
  func isOver(at reading: ClockReading) -> Bool { until.map { $0 < reading.wall } ?? false }

  /// Returns the moment on the timer's clock after which there are no more deadlines.
  private func horizon(at reading: ClockReading) -> Deadline {
    guard let until else { return .never }
    return until - (reading.wall - reading[timeline])
  }

  private mutating func serve(_ ordinal: Int64) {
    served = ordinal
    next = ordinal.addingSaturated(1)
  }

  /// Returns a deadline with its jitter. The last ordinal stands for all beyond the range, and is never due.
  ///
  /// It changes nothing. It is mutating, and so are its callers, as Swift calls others with a copy of all
  /// deadlines.
  private mutating func due(_ ordinal: Int64) -> Deadline? {
    guard ordinal < .max else { return .never }
    guard options.jitter > .zero else { return deadline(ordinal) }
    // Less than the interval, so that ticks keep their order.
    let distance = interval ?? dates?.distance ?? .max
    return deadline(ordinal).map {
      isStart(ordinal) ? $0 : $0 + jitter.delay(of: $0 - shift, below: distance)
    }
  }

  /// Whether a deadline is the moment at which the timer was made, which has no jitter.
  private func isStart(_ ordinal: Int64) -> Bool {
    if ordinal == 0, served == .min, case .every(_, .immediately)? = cadence { true } else { false }
  }
}

/// A random delay of each deadline.
struct Jitter: Sendable {
  var most: Interval
  var seed: UInt64

  /// Returns a delay below the jitter and the distance to the next deadline, always the same for the same
  /// deadline.
  func delay(of deadline: Deadline, below distance: Interval) -> Interval {
    // SplitMix64, whose state is the seed and a multiple of its increment.
    let state = seed &+ UInt64(bitPattern: deadline.nanoseconds) &* 0x9E37_79B9_7F4A_7C15
    return Interval(nanoseconds: Int64(state.mixed.scaled(below: UInt64(min(most, distance).nanoseconds))))
  }
}
