/// A sequence of deadlines under way: what has passed of it, its jitter, and the date that ends it.
///
/// It does what ``Recurrence`` describes.
package struct FullRecurrence: Sendable {
  private(set) var sequence: DeadlineSequence
  /// The ordinal of the first deadline that hasn't passed.
  private var next: Int64
  /// The ordinal of the last deadline that has passed, or nil before the first.
  private(set) var served: Int64?
  let until: Deadline?
  let jitter: Interval
  private let jitterSeed: UInt64
  /// Whether the first deadline is the moment at which the timer was made, which has no jitter.
  private var startsAtOnce = false
  /// The time by which pauses have moved the deadlines.
  private var shift = Interval.zero

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  package init(_ schedule: TimerSchedule, jitterSeed: UInt64, at reading: ClockReading) {
    let sequence = DeadlineSequence(schedule.cadence, at: reading)
    self.init(
      sequence, next: schedule.options.includesStart ? 0 : sequence.firstOrdinal(at: reading),
      options: schedule.options, jitterSeed: jitterSeed)
    if case .every(_, .immediately) = schedule.cadence { startsAtOnce = true }
  }

  init(
    _ sequence: DeadlineSequence, next: Int64 = 0, options: TimerSchedule.Options = .init(),
    jitterSeed: UInt64 = 0
  ) {
    self.sequence = sequence
    self.next = next
    until = options.until
    // Less than the interval, so that ticks keep their order.
    jitter = min(options.jitter, sequence.interval ?? .max)
    self.jitterSeed = jitterSeed
  }

  package var timeline: Timeline { sequence.timeline }
  package var interval: Interval? { sequence.interval }

  var isOnce: Bool { if case .once = sequence { true } else { false } }
  var isByRule: Bool { if case .rule = sequence { true } else { false } }
  var isCountdown: Bool { if case .countdown = sequence { true } else { false } }

  // MARK: Deadlines

  package mutating func upcoming(at reading: ClockReading) -> Deadline? {
    next = sequence.rejoin(next, served: served, at: reading[timeline])
    return due(next).flatMap { $0 <= horizon(at: reading) ? $0 : nil }
  }

  /// Returns the last deadline of all, if there is one, it is known, and it is still ahead.
  ///
  /// A timer may have a next deadline but no such last one, if the next deadline and the date that ends the timer
  /// both lie beyond the clock's range.
  package func lastDeadline(after reading: ClockReading) -> Deadline? {
    lastDeadline(at: reading).flatMap { $0 > reading[timeline] ? $0 : nil }
  }

  private func lastDeadline(at reading: ClockReading) -> Deadline? {
    if let last = sequence.lastOrdinal { return due(last) }
    guard until != nil, interval != nil else { return nil }
    let horizon = horizon(at: reading)
    let newest = sequence.newestOrdinal(at: horizon, from: next)
    return due(newest).map { $0 <= horizon ? $0 : horizon }
  }

  package mutating func pass(at reading: ClockReading) -> Recurrence.Passed? {
    let now = min(reading[timeline], horizon(at: reading))
    // The last ordinal is never passed, so that there is always a next one.
    var newest = min(sequence.newestOrdinal(at: now, from: next), .max - 1)
    // Of all that have passed, only the newest may not be due yet because of its jitter.
    if newest >= next, let due = due(newest), due > now { newest -= 1 }
    guard newest >= next, let due = due(newest) else { return nil }
    let passed = Recurrence.Passed(count: newest.subtractingSaturated(next).addingSaturated(1), newest: due)
    serve(newest)
    sequence.dates?.pass()
    return passed
  }

  package mutating func restart(at reading: ClockReading) {
    guard sequence.restart(at: reading[timeline]) else { return }
    shift = .zero
    serve(0)
  }

  // MARK: Pauses

  package mutating func postpone(from since: ClockReading, to reading: ClockReading) -> Bool {
    let interval = reading[timeline] - since[timeline]
    guard sequence.shift(by: interval) else { return false }
    shift = Interval(nanoseconds: shift.nanoseconds.addingSaturated(interval.nanoseconds))
    return true
  }

  package mutating func skip(from since: ClockReading, to reading: ClockReading) {
    if isByRule {
      sequence.dates?.skip(from: since, to: reading)
    } else if let last = sequence.lastOrdinal, let end = due(last), end <= reading[timeline] {
      next = max(next, last)
    } else if !isOnce {
      _ = pass(at: reading)
    }
  }

  // MARK: Rules

  /// Whether the rule, if there is one, has given the next date.
  package var hasDate: Bool { sequence.deadline(next) != nil }

  package func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    sequence.dates?.query(at: min(reading.wall, horizon(at: reading)), missedTicks: missedTicks)
  }

  package mutating func adopt(_ answer: RuleQuery.Answer) { sequence.dates?.adopt(answer) }

  /// Leaves out the dates of a rule that it hasn't been asked for.
  mutating func forgetDates(at reading: ClockReading) {
    if !hasDate { sequence.dates?.goOn(from: reading.wall) }
  }

  // MARK: Countdowns

  /// Returns the scale of a countdown and its elapsed time, also right after the clock was set back.
  func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    var sequence = sequence
    sequence.rejoin(next, served: served, at: reading[timeline])
    guard case .countdown(let scale, let origin, _, let elapsed) = sequence else { return nil }
    return (scale, elapsed ?? reading[timeline] - origin)
  }

  /// Moves the end of a countdown, but not before the present.
  mutating func extendCountdown(by interval: Interval, at reading: ClockReading) {
    guard let (scale, elapsed) = countdown(at: reading) else { return }
    let (extended, newElapsed) = scale.extended(by: interval, after: elapsed)
    sequence = .countdown(extended, origin: reading[timeline] - newElapsed, on: timeline)
  }

  mutating func stop(at now: () -> ClockReading) {
    guard case .countdown(_, _, _, nil) = sequence else { return }
    let reading = now()
    guard let (scale, elapsed) = countdown(at: reading) else { return }
    sequence = .countdown(
      scale, origin: reading[timeline] - elapsed, on: timeline, stoppedAfter: elapsed)
  }

  // MARK: The end

  /// Returns whether the date has passed after which there are no more ticks.
  func isOver(at reading: ClockReading) -> Bool {
    until.map { $0 < reading.wall } ?? false
  }

  /// Returns the moment on the timer's clock after which there are no more deadlines.
  private func horizon(at reading: ClockReading) -> Deadline {
    guard let until else { return .never }
    return until - (reading.wall - reading[timeline])
  }

  // MARK: Arithmetic

  private mutating func serve(_ ordinal: Int64) {
    served = ordinal
    next = ordinal.addingSaturated(1)
  }

  /// Returns the moment of a deadline, with its jitter.
  ///
  /// The last ordinal represents every deadline beyond the range of ordinals. It is never due.
  private func due(_ ordinal: Int64) -> Deadline? {
    guard ordinal < .max else { return .never }
    let isExact = startsAtOnce && served == nil && ordinal == 0
    return sequence.deadline(ordinal).map { isExact ? $0 : $0 + delay(of: $0 - shift) }
  }

  /// Returns a delay below the jitter, which is random but always the same for the same deadline.
  private func delay(of deadline: Deadline) -> Interval {
    guard jitter > .zero else { return .zero }
    // SplitMix64, whose state is the seed and a multiple of its increment.
    let state = jitterSeed &+ UInt64(bitPattern: deadline.nanoseconds) &* 0x9E37_79B9_7F4A_7C15
    return Interval(nanoseconds: Int64(state.mixed.scaled(below: UInt64(jitter.nanoseconds))))
  }
}

/// What only a recurrence with an object has: a rule, a countdown, or a date that ends it.
extension Recurrence {
  var full: Box? {
    if case .full(let box) = self { box } else { nil }
  }

  /// A copy of the same deadlines that has all of them.
  var inFull: FullRecurrence {
    switch self {
    case .once(let due, let timeline): FullRecurrence(.once(due, on: timeline))
    case .every(let interval, let next): FullRecurrence(DeadlineSequence(every: interval, from: next))
    case .full(let box): box.value
    // The sequence has only the ordinal 0.
    case .fired, .taken, .none: FullRecurrence(.once(.past, on: .monotonic), next: 1)
    }
  }

  package var isByRule: Bool { full?.value.isByRule ?? false }
  var isCountdown: Bool { full?.value.isCountdown ?? false }
  var hasDate: Bool { full?.value.hasDate ?? true }
  /// The ordinal of the deadline that passed last, or zero before the first.
  var newestOrdinal: Int64 { full?.value.served ?? 0 }

  func isOver(at reading: ClockReading) -> Bool { full?.value.isOver(at: reading) ?? false }

  func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    full?.value.countdown(at: reading)
  }

  func extendCountdown(by interval: Interval, at reading: ClockReading) {
    full?.value.extendCountdown(by: interval, at: reading)
  }

  func stop(at now: () -> ClockReading) { full?.value.stop(at: now) }

  func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    full?.value.query(at: reading, missedTicks: missedTicks)
  }

  func adopt(_ answer: RuleQuery.Answer) { full?.value.adopt(answer) }

  func forgetDates(at reading: ClockReading) { full?.value.forgetDates(at: reading) }

  /// Ends the deadlines of a rule, and returns the rule, so that it can be released without a lock.
  mutating func end() -> (any TickRule)? {
    guard let rule = full?.value.sequence.dates?.rule else { return nil }
    self = .none
    return rule
  }
}
