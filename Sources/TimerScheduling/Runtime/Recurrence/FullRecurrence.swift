#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sequence of deadlines under way, with the last deadline that has passed and the next one.
///
/// It adds jitter, and ends at the date `until`.
package struct FullRecurrence: Sendable {
  private(set) var sequence: DeadlineSequence
  /// The ordinal of the first deadline that hasn't passed.
  private(set) var next: Int64
  /// The ordinal of the last deadline that has passed.
  private var served: Int64?
  let until: Deadline?
  let jitter: Interval
  private let jitterSeed: UInt64
  /// The largest number of pauses kept separately while no listener takes a rule's ticks.
  private static let mostPauses = 16

  /// The time by which pauses have moved the deadlines.
  private var shift = Interval.zero
  /// Pauses in which a rule's dates aren't ticks. Each is kept until the rule has given a date after it.
  private var pauses: [RuleQuery.Pause] = []

  package init(_ sequence: DeadlineSequence, options: TimerSchedule.Options, jitterSeed: UInt64) {
    self.sequence = sequence
    next = sequence.firstOrdinal
    until = options.until
    // Less than the interval, so that ticks keep their order.
    jitter = min(options.jitter, sequence.interval ?? .max)
    self.jitterSeed = jitterSeed
  }

  /// Creates a recurrence without jitter and without an end.
  init(_ sequence: DeadlineSequence) {
    self.init(sequence, options: TimerSchedule.Options(), jitterSeed: 0)
  }

  package var timeline: Timeline { sequence.timeline }
  package var interval: Interval? { sequence.interval }
  package var isByRule: Bool { sequence.isByRule }
  package var isOnce: Bool { sequence.isOnce }
  package var isCountdown: Bool { sequence.isCountdown }
  /// Whether the deadlines are dates on the wall clock, which pauses don't move.
  package var isBoundToDates: Bool { sequence.isBoundToDates }

  /// The ordinal of the deadline that passed last, or nil before the first.
  package var newestOrdinal: Int64? { served }

  package func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    sequence.countdown(at: reading[timeline])
  }

  package mutating func extendCountdown(by interval: Interval, at reading: ClockReading) {
    sequence.extendCountdown(by: interval, at: reading[timeline])
  }

  // MARK: Deadlines

  /// Returns the next deadline, or nil if there is none.
  package mutating func upcoming(at reading: ClockReading) -> Deadline? {
    next = sequence.rejoining(next, served: served, at: reading[timeline])
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

  /// Passes the deadlines that have come. Returns nil if none has.
  package mutating func pass(at reading: ClockReading) -> Recurrence.Passed? {
    let now = min(reading[timeline], horizon(at: reading))
    // The last ordinal is never passed, so that there is always a next one.
    var newest = min(sequence.newestOrdinal(at: now, from: next), .max - 1)
    // Of all that have passed, only the newest may not be due yet because of its jitter.
    if newest >= next, let due = due(newest), due > now { newest -= 1 }
    guard newest >= next, let due = due(newest) else { return nil }
    let passed = Recurrence.Passed(count: newest.subtractingSaturated(next).addingSaturated(1), newest: due)
    serve(newest)
    sequence.ruleFired()
    return passed
  }

  /// Begins a new cadence at this moment, unless the cadence is fixed on the wall clock.
  package mutating func restart(at reading: ClockReading) {
    guard sequence.restart(at: reading[timeline]) else { return }
    shift = .zero
    serve(0)
  }

  // MARK: Pauses

  /// Moves the deadlines later by the time from `since`. Returns false if they are dates on the wall clock.
  package mutating func postpone(from since: ClockReading, to reading: ClockReading) -> Bool {
    let interval = reading[timeline] - since[timeline]
    guard sequence.shift(by: interval) else { return false }
    shift = Interval(nanoseconds: shift.nanoseconds.addingSaturated(interval.nanoseconds))
    return true
  }

  /// Leaves out the deadlines of a pause, as if they had never existed. A single deadline stays, as does the last of
  /// a countdown.
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
      // The new time of the wall clock has other dates.
      sequence.forgetDate(goingOnFrom: nil)
    } else if hasDate {
      if let due = sequence.deadline(next), due <= reading.wall {
        sequence.forgetDate(goingOnFrom: reading.wall)
      }
    } else {
      // The dates before the pause must still be asked for. If there are too many pauses, the last ones are merged.
      let last = pauses.count < Self.mostPauses ? nil : pauses.popLast()
      pauses.append(RuleQuery.Pause(from: last?.from ?? Date(since.wall), to: Date(reading.wall)))
    }
  }

  /// Leaves out the dates of a rule that it hasn't been asked for.
  package mutating func forgetDates(at reading: ClockReading) {
    if isByRule, !hasDate { sequence.forgetDate(goingOnFrom: reading.wall) }
  }

  /// Returns whether the date has passed after which there are no more ticks.
  package func isOver(at reading: ClockReading) -> Bool {
    until.map { $0 < reading.wall } ?? false
  }

  // MARK: Rules

  /// Whether the rule, if there is one, has given the next date.
  package var hasDate: Bool { sequence.deadline(next) != nil }

  /// Returns the query for the rule's next date, if there is a rule.
  package func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    sequence.query(at: min(reading.wall, horizon(at: reading)), missedTicks: missedTicks, pauses: pauses)
  }

  package mutating func adopt(_ answer: RuleQuery.Answer) {
    sequence.adopt(answer)
    pauses.removeAll { pause in answer.next.map { $0 > pause.to } ?? true }
  }

  // MARK: The end

  /// Stops a countdown at its present value.
  package mutating func stop(at now: () -> ClockReading) {
    if sequence.isCountdown { sequence.stop(at: now()[timeline]) }
  }

  /// Ends the recurrence, and returns its rule.
  package mutating func end() -> (any TickRule)? {
    sequence.end()
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
    return sequence.deadline(ordinal).map { $0 + delay(of: $0 - shift) }
  }

  /// Returns the moment on the timer's clock after which there are no more deadlines.
  private func horizon(at reading: ClockReading) -> Deadline {
    guard let until else { return .never }
    return until + (reading[timeline] - reading.wall)
  }

  /// Returns a delay below the jitter, which is random but always the same for the same deadline.
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
