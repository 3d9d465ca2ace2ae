#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sequence of deadlines under way: which deadlines have passed, and which is next.
///
/// Knows of jitter and of the date after which there are no more deadlines.
package struct Recurrence: Sendable {
  private(set) var sequence: DeadlineSequence
  /// The ordinal of the first deadline that hasn't passed.
  private(set) var next: Int64
  /// The ordinal of the last one that has.
  private var served: Int64?
  let until: Deadline?
  let jitter: Interval
  private let jitterSeed: UInt64
  /// How many pauses are told apart while nobody takes a rule's ticks.
  private static let mostPauses = 16

  /// By how much pauses have moved the deadlines.
  private var shift = Interval.zero
  /// The pauses in which a rule's dates aren't ticks, until it has been asked for one after them.
  private var pauses: [RuleQuery.Pause] = []

  package init(_ sequence: DeadlineSequence, options: TimerSchedule.Options, jitterSeed: UInt64) {
    self.sequence = sequence
    next = sequence.firstOrdinal
    until = options.until
    // Less than the interval, so that ticks keep their order.
    jitter = min(options.jitter, sequence.interval ?? .max)
    self.jitterSeed = jitterSeed
  }

  /// A recurrence without jitter and without an end, of which the deadline `passed` was the last that has passed.
  init(_ sequence: DeadlineSequence, passed: Int64? = nil) {
    self.init(sequence, options: TimerSchedule.Options(), jitterSeed: 0)
    if let passed { serve(passed) }
  }

  package var timeline: Timeline { sequence.timeline }
  package var interval: Interval? { sequence.interval }
  package var isByRule: Bool { sequence.isByRule }
  package var isOnce: Bool { sequence.isOnce }
  package var isCountdown: Bool { sequence.isCountdown }
  /// Whether the deadlines are dates on the wall clock, which no pause moves.
  package var isBoundToDates: Bool { sequence.isBoundToDates }

  /// The number of the deadline that passed last, or nil before the first.
  package var newestOrdinal: Int64? { served }

  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    sequence.countdown(at: reading[timeline])
  }

  package mutating func extendCountdown(by interval: Interval, at reading: ClockReading) {
    sequence.extendCountdown(by: interval, at: reading[timeline])
  }

  // MARK: Deadlines

  /// When the next deadline is due, or nil if there is none.
  package mutating func upcoming(at reading: ClockReading) -> Deadline? {
    next = sequence.rejoining(next, served: served, at: reading[timeline])
    return due(next).flatMap { $0 <= horizon(at: reading) ? $0 : nil }
  }

  /// The first deadline that hasn't come, whether or not those before it were passed.
  package func firstDeadline(after reading: ClockReading) -> Deadline? {
    var copy = self
    _ = copy.pass(at: reading)
    return copy.upcoming(at: reading)
  }

  /// The last deadline of all, where there is one, it is known and it is still to come.
  ///
  /// A timer may have a next deadline and no such last one: the next lies beyond the clock's range, and so does
  /// the date that ends the timer.
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

  package struct Passed: Equatable {
    var count: Int64
    /// When the newest of them was due.
    var newest: Deadline
  }

  /// Passes the deadlines that have come, or returns nil if none has.
  package mutating func pass(at reading: ClockReading) -> Passed? {
    let now = min(reading[timeline], horizon(at: reading))
    // The last ordinal is never passed, so that there is a next one.
    var newest = min(sequence.newestOrdinal(at: now, from: next), .max - 1)
    // Of all that have passed, only the newest may not be due for its jitter.
    if newest >= next, let due = due(newest), due > now { newest -= 1 }
    guard newest >= next, let due = due(newest) else { return nil }
    let passed = Passed(count: newest.subtractingSaturated(next).addingSaturated(1), newest: due)
    serve(newest)
    sequence.ruleFired()
    return passed
  }

  /// Begins a new cadence at this moment, unless the cadence is the wall clock's own.
  package mutating func restart(at reading: ClockReading) {
    guard sequence.restart(at: reading[timeline]) else { return }
    shift = .zero
    serve(0)
  }

  // MARK: Pauses

  /// Moves the deadlines on by the time from `since`, unless they are dates on the wall clock.
  ///
  /// Returns false in that case.
  package mutating func postpone(from since: ClockReading, to reading: ClockReading) -> Bool {
    let interval = reading[timeline] - since[timeline]
    guard sequence.shift(by: interval) else { return false }
    shift = Interval(nanoseconds: shift.nanoseconds.addingSaturated(interval.nanoseconds))
    return true
  }

  /// Leaves out the deadlines of a pause, as if they had never been. A single one stays, as does the last of a
  /// countdown.
  package mutating func skip(from since: ClockReading, to reading: ClockReading) {
    if isByRule {
      skipDates(from: since, to: reading)
    } else if let last = sequence.lastOrdinal, let end = due(last), end <= reading[timeline] {
      next = max(next, last)
    } else if !isOnce {
      _ = pass(at: reading)
    }
  }

  private mutating func skipDates(from since: ClockReading, to reading: ClockReading) {
    if reading.isSetBack(since: since) {
      // The dates of the new time are others.
      sequence.forgetDate(goingOnFrom: nil)
    } else if hasDate {
      if let due = sequence.deadline(next), due <= reading.wall {
        sequence.forgetDate(goingOnFrom: reading.wall)
      }
    } else {
      // Those before the pause are still to be asked for. Of many pauses, the last become one.
      let last = pauses.count < Self.mostPauses ? nil : pauses.popLast()
      pauses.append(RuleQuery.Pause(from: last?.from ?? Date(since.wall), to: Date(reading.wall)))
    }
  }

  /// Leaves out the dates of a rule that it hasn't been asked for.
  package mutating func forgetDates(at reading: ClockReading) {
    if isByRule, !hasDate { sequence.forgetDate(goingOnFrom: reading.wall) }
  }

  /// Whether the date has passed after which there are no more ticks.
  package func isOver(at reading: ClockReading) -> Bool {
    until.map { $0 < reading.wall } ?? false
  }

  // MARK: Rules

  /// Whether the rule, where there is one, has given the next date.
  package var hasDate: Bool { sequence.deadline(next) != nil }

  /// What to ask the rule for its next date, where there is one.
  package func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    sequence.query(at: min(reading.wall, horizon(at: reading)), missedTicks: missedTicks, pauses: pauses)
  }

  package mutating func adopt(_ answer: RuleQuery.Answer) {
    sequence.adopt(answer)
    pauses.removeAll { pause in answer.next.map { $0 > pause.to } ?? true }
  }

  // MARK: The end

  /// Stops a countdown where it is.
  package mutating func stop(at now: () -> ClockReading) {
    if sequence.isCountdown { sequence.stop(at: now()[timeline]) }
  }

  /// Ends the recurrence, and returns the rule it held.
  package mutating func end() -> (any TickRule)? {
    sequence.end()
  }

  // MARK: Arithmetic

  private mutating func serve(_ ordinal: Int64) {
    served = ordinal
    next = ordinal.addingSaturated(1)
  }

  /// When a deadline is due, with its jitter.
  ///
  /// The last ordinal stands for every deadline beyond the range of ordinals. It is never due.
  private func due(_ ordinal: Int64) -> Deadline? {
    guard ordinal < .max else { return .never }
    return sequence.deadline(ordinal).map { $0 + delay(of: $0 - shift) }
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

  /// A recurrence in memory of its own.
  ///
  /// Confined: it belongs to one bound schedule, and then to the machine of the one timer that takes that up.
  final class Box: @unchecked Sendable {
    @safe @exclusivity(unchecked) var value: Recurrence

    init(_ value: Recurrence) { self.value = value }
  }
}
