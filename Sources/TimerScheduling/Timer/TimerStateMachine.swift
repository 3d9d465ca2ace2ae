/// One timer's life: when it is due next, which tick waits to be taken, and how it ends.
///
/// The machine performs nothing; ``TimerRecord`` keeps it under a lock and performs what it returns.
///
///     armed ───fire, not awaited───▶ parked ───take, by a rule───▶ consulting
///     ▲ ▲ │                            │                               │
///     │ │ └─fire, awaited─▶ armed     take                           answer
///     │ └──────────────────────────────┴───────────────────────────────┤
///     └─ armed again while there is a next deadline, else ─▶ last ◀────┘
///
///     last ───take───▶ finished ◀───finish─── any
///
/// A tick that nobody was waiting for parks the timer: no deadline is filed, so no wakeup is spent on a
/// consumer that is busy or away. To take the tick finds by arithmetic which deadlines have passed since,
/// and files the next. Deadlines of a rule are asked for by whoever takes the tick before, because a rule
/// is the user's code.
package struct TimerStateMachine: ~Copyable {
  private enum State {
    /// Waits for `due`. The tick before it may be untaken by a consumer that was woken for it.
    case armed(due: Deadline)
    /// A tick is untaken and nobody was waiting for it, or the rule has yet to be asked.
    case parked
    /// A rule is being asked for the next date.
    case consulting
    /// No deadline is left. The tick of the last may be untaken.
    case last
    case finished(FinishReason)
  }

  private var state = State.last
  private var timetable: Timetable
  /// The ordinal of the first deadline that hasn't passed.
  private var next: Int64
  /// The ordinal of the last deadline that has fired or passed.
  private var served: Int64?
  private var ledger: TickLedger
  private let options: TimerSchedule.Options
  private let tolerance: Interval
  private let jitterSeed: UInt64

  /// Starts the timer of a timetable. It has finished already where there is nothing to wait for.
  package init(
    _ timetable: Timetable, options: TimerSchedule.Options, defaultTolerance: Interval, jitterSeed: UInt64,
    at reading: ClockReading
  ) {
    self.timetable = timetable
    self.options = options
    // A longer one would make ticks miss each other.
    let longest = timetable.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(options.tolerance ?? defaultTolerance, longest)
    self.jitterSeed = jitterSeed
    next = timetable.firstOrdinal
    ledger = TickLedger(options.missedTicks)
    file(at: reading)
    finishIfNothingIsLeft()
    if options.limit == 0 { state = .finished(.completed) }
  }

  // MARK: Queries

  /// Where a timer stands in the deadline queue.
  package struct Filing: Sendable, Equatable {
    package var timeline: Timeline
    package var deadline: Deadline
    package var latest: Deadline
  }

  /// The deadline for which the timer is to be fired, if there is one.
  package var filing: Filing? {
    switch state {
    case .armed(let due) where due < .never:
      Filing(timeline: timetable.timeline, deadline: due, latest: due + tolerance)
    case .armed, .parked, .consulting, .last, .finished:
      nil
    }
  }

  package var isFinished: Bool { finishReason != nil }

  package var finishReason: FinishReason? {
    switch state {
    case .finished(let reason): reason
    case .armed, .parked, .consulting, .last: nil
    }
  }

  /// Whether whoever takes a tick now has to wait for one.
  package var mustWait: Bool {
    switch state {
    case .armed: !ledger.hasUntaken
    case .consulting: true
    case .parked, .last, .finished: false
    }
  }

  // MARK: Firing

  package enum FireAction: Equatable {
    case none
    /// There is something to take for a consumer that waits.
    case wakeConsumer
  }

  /// The deadline queue has found the timer due. `isAwaited` says whether a consumer waits for a tick.
  package mutating func fire(at reading: ClockReading, isAwaited: Bool) -> FireAction {
    switch state {
    case .armed(let due):
      let now = reading[timetable.timeline]
      guard due <= now else { return .none }
      guard due <= horizon(at: reading) else {
        state = .last
        return .wakeConsumer
      }
      let newest = max(newestPassed(at: reading), next)
      ledger.noteFired(
        newest - next + 1, date: reading.wall, lateness: now - (self.due(newest) ?? due),
        interval: timetable.interval)
      serve(newest)
      timetable.noteRuleFired()
      if isAwaited, !timetable.isByRule {
        fileNext(at: reading, missed: ledger.missedCount)
      } else {
        state = .parked
      }
      return .wakeConsumer
    case .parked, .consulting, .last, .finished:
      return .none
    }
  }

  // MARK: Taking

  package enum TakeAction {
    /// A tick. With `look`, the scheduler has to look at the record again.
    case tick(TimerTick, look: Bool)
    case wait
    /// The rule is to be asked, and the tick to be taken with its answer.
    case consult(RuleQuery)
    /// No more ticks. With `look`, the scheduler has to look at the record again.
    case finished(look: Bool)
  }

  /// A consumer asks for a tick. The clocks are read only where the answer depends on them.
  package mutating func take(at now: () -> ClockReading) -> TakeAction {
    switch state {
    case .armed:
      guard let tick = takeTick() else { return .wait }
      return .tick(tick, look: isFinished)
    case .parked:
      let reading = now()
      let latest = min(reading.wall, horizon(at: reading))
      if let query = timetable.query(at: latest, missedTicks: options.missedTicks) {
        state = .consulting
        return .consult(query)
      }
      catchUp(at: reading)
      let tick = takeTick()
      if !isFinished, !ledger.hasUntaken { fileNext(at: reading, missed: Int64(tick?.missedCount ?? 0)) }
      finishIfNothingIsLeft()
      guard let tick else { return .wait }
      return .tick(tick, look: true)
    case .consulting:
      return .wait
    case .last:
      let tick = takeTick()
      finishIfNothingIsLeft()
      guard let tick else { return .finished(look: true) }
      return .tick(tick, look: isFinished)
    case .finished:
      return .finished(look: false)
    }
  }

  // MARK: Rules

  /// The rule has answered: goes on with its next date, and hands out the tick that waits, if one does.
  package mutating func take(with answer: RuleQuery.Answer, at reading: ClockReading) -> TakeAction {
    switch state {
    case .consulting:
      ledger.notePassed(Int64(answer.passed), newest: Deadline(answer.newest))
      timetable.adopt(answer)
      let tick = takeTick()
      if !isFinished { file(at: reading) }
      finishIfNothingIsLeft()
      guard let tick else { return isFinished ? .finished(look: true) : .wait }
      return .tick(tick, look: true)
    case .finished:
      return .finished(look: false)
    case .armed, .parked, .last:
      return .wait
    }
  }

  // MARK: The wall clock

  package enum SetBackAction: Equatable {
    case none
    /// The rule is to be asked again, off the scheduler's queue, where ``consultAnew(at:)`` says what.
    case consult
  }

  /// The wall clock was set back, so that deadlines may come before the one the timer waits for.
  package mutating func noteWallClockSetBack(at reading: ClockReading) -> SetBackAction {
    switch state {
    case .armed:
      if timetable.isByRule { return .consult }
      file(at: reading)
      return .none
    case .parked, .consulting, .last, .finished:
      // Whoever takes the tick reads the clock.
      return .none
    }
  }

  /// What to ask the rule of a timer that waits for one of its dates.
  package mutating func consultAnew(at reading: ClockReading) -> RuleQuery? {
    switch state {
    case .armed:
      // One date at a time: there is nobody to take a tick for dates that have passed.
      let query = timetable.query(at: reading.wall, missedTicks: .burst)
      if query != nil { state = .consulting }
      return query
    case .parked, .consulting, .last, .finished:
      return nil
    }
  }

  // MARK: The end

  package enum FinishAction: Equatable {
    case none
    /// Whoever waits is told of the end, and the scheduler looks at the record again.
    case conclude
  }

  /// Ends the timer. What was not taken by now is withdrawn.
  package mutating func finish(_ reason: FinishReason) -> FinishAction {
    switch state {
    case .armed, .parked, .consulting, .last:
      state = .finished(reason)
      ledger.withdraw()
      return .conclude
    case .finished:
      return .none
    }
  }

  /// Gives up the rule of a finished timer, to be released where no lock is held.
  package mutating func relinquishRule() -> (any TickRule)? {
    isFinished ? timetable.end() : nil
  }

  // MARK: Deadlines

  /// When the deadline `ordinal` is due, with its jitter.
  private func due(_ ordinal: Int64) -> Deadline? {
    timetable.deadline(ordinal).map { $0 + jitter(of: $0) }
  }

  /// Waits for the next deadline once a tick is taken, or sure to be.
  ///
  /// Under `.delay`, a tick that others were missed before is the origin of a new cadence.
  private mutating func fileNext(at reading: ClockReading, missed: Int64) {
    if options.missedTicks == .delay, missed > 0, timetable.restart(at: reading[timetable.timeline]) {
      serve(0)
    }
    file(at: reading)
  }

  /// Waits for the deadline `next`, if there is one.
  private mutating func file(at reading: ClockReading) {
    next = timetable.rejoining(next, served: served, at: reading[timetable.timeline])
    if let due = due(next), due <= horizon(at: reading) {
      state = .armed(due: due)
    } else {
      state = .last
    }
  }

  /// Finds which deadlines have passed since the timer was parked.
  private mutating func catchUp(at reading: ClockReading) {
    let newest = newestPassed(at: reading)
    guard newest >= next, let due = due(newest) else { return }
    ledger.notePassed(newest - next + 1, newest: reading.wall - (reading[timetable.timeline] - due))
    serve(newest)
  }

  /// The ordinal of the newest deadline that has passed, which is `next - 1` where none has since.
  private func newestPassed(at reading: ClockReading) -> Int64 {
    let now = min(reading[timetable.timeline], horizon(at: reading))
    let newest = timetable.newestOrdinal(at: now, atLeast: next - 1)
    // Jitter is less than the interval, so of all that have passed only the newest may not be due.
    guard newest >= next, let due = due(newest), due > now else { return newest }
    return newest - 1
  }

  private mutating func serve(_ ordinal: Int64) {
    served = ordinal
    next = ordinal.addingSaturated(1)
  }

  private mutating func takeTick() -> TimerTick? {
    let tick = ledger.takeTick(interval: timetable.interval)
    if let limit = options.limit, ledger.takenCount >= limit {
      state = .finished(.completed)
      ledger.withdraw()
    }
    return tick
  }

  private mutating func finishIfNothingIsLeft() {
    if case .last = state, !ledger.hasUntaken { state = .finished(.completed) }
  }

  /// The moment on the timer's clock after which it doesn't tick any more.
  private func horizon(at reading: ClockReading) -> Deadline {
    guard let until = options.until else { return .never }
    return reading[timetable.timeline] + (Deadline(until) - reading.wall)
  }

  /// A delay below the schedule's jitter: random, but always the same for the same deadline.
  private func jitter(of deadline: Deadline) -> Interval {
    let span = min(options.jitter, timetable.interval ?? .max)
    guard span > .zero else { return .zero }
    // SplitMix64 (Steele, Lea and Flood, 2014), then Lemire's reduction to a range.
    var bits = jitterSeed &+ UInt64(bitPattern: deadline.nanoseconds) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Interval(nanoseconds: Int64(bits.multipliedFullWidth(by: UInt64(span.nanoseconds)).high))
  }
}

extension TimerStateMachine.TakeAction {
  /// Whether the scheduler has to look at the record again.
  package var needsLook: Bool {
    switch self {
    case .tick(_, let look), .finished(let look): look
    case .wait, .consult: false
    }
  }
}
