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
  private var agenda: Agenda
  private var ledger: TickLedger
  private let missedTicks: MissedTickBehavior
  private let limit: Int
  private let tolerance: Interval

  /// Starts the timer of a timetable. It has finished already where there is nothing to wait for.
  package init(
    _ timetable: Timetable, options: TimerSchedule.Options, defaultTolerance: Interval, jitterSeed: UInt64,
    at reading: ClockReading
  ) {
    agenda = Agenda(timetable, options: options, jitterSeed: jitterSeed)
    ledger = TickLedger(options.missedTicks)
    missedTicks = options.missedTicks
    limit = options.limit ?? .max
    // With more than half the interval, one late tick would make the next one missed.
    let longest = timetable.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(options.tolerance ?? defaultTolerance, longest)
    file(at: reading)
    finishIfNothingIsLeft()
    finishAtLimit()
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
      Filing(timeline: agenda.timeline, deadline: due, latest: due + tolerance)
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
      let now = reading[agenda.timeline]
      guard due <= now else { return .none }
      guard let passed = agenda.pass(at: reading) else {
        // The wall clock was set beyond the date after which there are no more deadlines.
        state = .last
        return .wakeConsumer
      }
      ledger.noteFired(
        passed.count, date: reading.wall, lateness: now - passed.newest, interval: agenda.interval)
      if isAwaited, !agenda.isByRule {
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
      if let query = agenda.query(at: reading, missedTicks: missedTicks) {
        state = .consulting
        return .consult(query)
      }
      if let passed = agenda.pass(at: reading) {
        let lateness = reading[agenda.timeline] - passed.newest
        ledger.notePassed(passed.count, newest: reading.wall - lateness)
      }
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
      agenda.adopt(answer)
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
      if agenda.isByRule { return .consult }
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
      let query = agenda.query(at: reading, missedTicks: .burst)
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

  /// Ends the timer. What wasn't taken by now isn't taken any more.
  package mutating func finish(_ reason: FinishReason) -> FinishAction {
    switch state {
    case .armed, .parked, .consulting, .last:
      state = .finished(reason)
      return .conclude
    case .finished:
      return .none
    }
  }

  /// Gives up the rule of a finished timer, to be released where no lock is held.
  package mutating func relinquishRule() -> (any TickRule)? {
    isFinished ? agenda.end() : nil
  }

  // MARK: Steps

  /// Waits for the next deadline once a tick is taken, or sure to be.
  ///
  /// Under `.delay`, a tick that others were missed before is the origin of a new cadence.
  private mutating func fileNext(at reading: ClockReading, missed: Int64) {
    if missedTicks == .delay, missed > 0 { agenda.restart(at: reading) }
    file(at: reading)
  }

  /// Waits for the next deadline, if there is one.
  private mutating func file(at reading: ClockReading) {
    state = agenda.upcoming(at: reading).map { .armed(due: $0) } ?? .last
  }

  private mutating func takeTick() -> TimerTick? {
    let tick = ledger.takeTick(interval: agenda.interval)
    finishAtLimit()
    return tick
  }

  private mutating func finishAtLimit() {
    if ledger.takenCount >= limit { state = .finished(.completed) }
  }

  private mutating func finishIfNothingIsLeft() {
    if case .last = state, !ledger.hasUntaken { state = .finished(.completed) }
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
