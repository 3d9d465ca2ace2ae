/// A timetable under way: which deadlines have passed, and which is next.
///
/// Knows of jitter and of the date after which there are no more deadlines.
package struct Agenda: Sendable {
  private var timetable: Timetable
  /// The ordinal of the first deadline that hasn't passed.
  private var next: Int64
  /// The ordinal of the last one that has.
  private var served: Int64?
  private let until: Deadline?
  private let jitter: Interval
  private let jitterSeed: UInt64

  package init(_ timetable: Timetable, options: TimerSchedule.Options, jitterSeed: UInt64) {
    self.timetable = timetable
    next = timetable.firstOrdinal
    until = options.until.map { Deadline($0) }
    // Less than the interval, so that ticks keep their order.
    jitter = min(options.jitter, timetable.interval ?? .max)
    self.jitterSeed = jitterSeed
  }

  package var timeline: Timeline { timetable.timeline }
  package var interval: Interval? { timetable.interval }
  package var isByRule: Bool { timetable.isByRule }

  // MARK: Deadlines

  /// When the next deadline is due, or nil if there is none.
  package mutating func upcoming(at reading: ClockReading) -> Deadline? {
    next = timetable.rejoining(next, served: served, at: reading[timeline])
    return due(next).flatMap { $0 <= horizon(at: reading) ? $0 : nil }
  }

  package struct Passed: Equatable {
    var count: Int64
    /// When the newest of them was due.
    var newest: Deadline
  }

  /// Passes the deadlines that have come, or returns nil if none has.
  package mutating func pass(at reading: ClockReading) -> Passed? {
    let now = min(reading[timeline], horizon(at: reading))
    var newest = timetable.newestOrdinal(at: now, from: next)
    // Of all that have passed, only the newest may not be due for its jitter.
    if newest >= next, let due = due(newest), due > now { newest -= 1 }
    guard newest >= next, let due = due(newest) else { return nil }
    let passed = Passed(count: newest - next + 1, newest: due)
    serve(newest)
    timetable.noteRuleFired()
    return passed
  }

  /// Begins a new cadence at this moment, unless the cadence is the wall clock's own.
  package mutating func restart(at reading: ClockReading) {
    if timetable.restart(at: reading[timeline]) { serve(0) }
  }

  // MARK: Rules

  /// What to ask the rule for its next date, where there is one.
  package func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    timetable.query(at: min(reading.wall, horizon(at: reading)), missedTicks: missedTicks)
  }

  package mutating func adopt(_ answer: RuleQuery.Answer) {
    timetable.adopt(answer)
  }

  /// Ends the agenda and returns the rule it held.
  package mutating func end() -> (any TickRule)? {
    timetable.end()
  }

  // MARK: Arithmetic

  private mutating func serve(_ ordinal: Int64) {
    served = ordinal
    next = ordinal.addingSaturated(1)
  }

  /// When a deadline is due, with its jitter.
  private func due(_ ordinal: Int64) -> Deadline? {
    timetable.deadline(ordinal).map { $0 + delay(of: $0) }
  }

  /// The moment on the timer's clock after which there are no more deadlines.
  private func horizon(at reading: ClockReading) -> Deadline {
    guard let until else { return .never }
    return reading[timeline] + (until - reading.wall)
  }

  /// A delay below the jitter: random, but always the same for the same deadline.
  private func delay(of deadline: Deadline) -> Interval {
    guard jitter > .zero else { return .zero }
    // SplitMix64 (Steele, Lea and Flood, 2014), then Lemire's reduction to a range.
    var bits = jitterSeed &+ UInt64(bitPattern: deadline.nanoseconds) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Interval(nanoseconds: Int64(bits.multipliedFullWidth(by: UInt64(jitter.nanoseconds)).high))
  }
}
