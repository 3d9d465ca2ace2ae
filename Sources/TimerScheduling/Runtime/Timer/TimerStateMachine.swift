/// One timer's life: when it is due next, which ticks wait to be taken, when it pauses, and how it ends.
///
/// The machine performs nothing; ``TimerEntry`` keeps it under a lock and performs what it returns.
///
///     armed ───fire, not awaited───▶ parked ───take, by a rule───▶ consulting
///     ▲ ▲ │                            │                               │
///     │ │ └─fire, awaited─▶ armed     take                           answer
///     │ └──────────────────────────────┴───────────────────────────────┤
///     └─ armed again while there is a next deadline, else ─▶ last ◀────┘
///
///     armed, parked, consulting, last ◀──resume──  ──pause──▶ paused
///
///     armed, parked ──limit reached──▶ last ───over───▶ completed
///     any ───finish───▶ finished
///
/// A tick that nobody was waiting for parks the timer: the next deadline isn't filed, so no wakeup is spent
/// on listeners that are busy or away. To take the tick finds by arithmetic which deadlines have passed since,
/// and files the next. Deadlines of a rule are asked for by whoever takes the tick before, because a rule
/// is the user's code.
package struct TimerStateMachine: ~Copyable {
  enum State {
    /// Waits for `due`. The tick before it may be untaken by a listener that was woken for it.
    case armed(due: Deadline)
    /// A tick is untaken and nobody was waiting for it, or the rule has yet to be asked. Waits for the
    /// last deadline of all, if there is one, as the timer may end with nobody there to take its ticks.
    case parked(end: Deadline?)
    /// A rule is being asked for the next date. An answer to any other inquiry is out of date.
    case consulting(inquiry: UInt64, since: ClockReading)
    /// No deadline is left. The tick of the last may be untaken, or an action be running for it.
    case last
    /// Nothing fires and nothing is taken until the timer goes on with what it was at.
    case paused(since: ClockReading, Interrupted)
    /// The last tick was taken, by one listener at least. Others may still take what they are owed.
    case completed
    /// Nothing is taken any more.
    case finished(TimerFinishReason)
  }

  /// What a paused timer goes on with.
  enum Interrupted {
    /// Waiting for a deadline.
    case waiting
    /// A rule has yet to be asked.
    case asking
    /// No deadline is left.
    case last
  }

  var state = State.last
  var agenda: Agenda
  var ledger = TickLedger()
  var missedTicks: MissedTickBehavior
  /// Ticks with this index and above aren't taken.
  var indexLimit: Int64
  private var tolerance: Interval
  private var inquiryCount: UInt64 = 0
  /// Whether a deadline has passed whose tick nobody has taken.
  var hasUntakenDeadline = false
  /// Whether deadlines were missed since the cadence began, so that under `.delay` it is to begin anew.
  var missesDeadlines = false
  /// When the timer was resumed, on its own clock, if the deadline it waits for had passed by then.
  var resumed = Deadline.past
  /// What keeps the timer paused.
  var isPausedByCall = false
  var pausingScopeCount: Int = 0

  /// Starts the timer of a plan.
  package init(_ plan: consuming TimerPlan, at reading: ClockReading) {
    agenda = plan.agenda
    missedTicks = plan.missedTicks
    indexLimit = plan.limit
    tolerance = plan.tolerance
    begin(at: reading)
  }

  // MARK: Queries

  /// Where a timer stands in the deadline queue.
  package struct Filing: Sendable, Equatable {
    package var timeline: Timeline
    package var deadline: Deadline
    package var latest: Deadline

    package init(timeline: Timeline, deadline: Deadline, latest: Deadline) {
      self.timeline = timeline
      self.deadline = deadline
      self.latest = latest
    }
  }

  /// The deadline for which the timer is to be fired, if there is one.
  package var filing: Filing? {
    switch state {
    case .armed(let due), .parked(let due?):
      if due < .never {
        Filing(timeline: agenda.timeline, deadline: due, latest: due + tolerance)
      } else {
        nil
      }
    case .parked, .consulting, .last, .paused, .completed, .finished:
      nil
    }
  }

  package var isFinished: Bool { finishReason != nil }

  package var finishReason: TimerFinishReason? {
    switch state {
    case .completed: .completed
    case .finished(let reason): reason
    case .armed, .parked, .consulting, .last, .paused: nil
    }
  }

  /// Whether a listener that asks for a tick now has to wait for one.
  package func mustWait(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last: !owes(cursor)
    case .consulting, .paused: true
    case .parked, .completed, .finished: false
    }
  }

  /// Whether asking for a tick now may bring one.
  package func canTake(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last, .completed: owes(cursor)
    case .parked: true
    case .consulting, .paused, .finished: false
    }
  }

  /// Whether there is a tick that the listener hasn't taken.
  package func owes(_ cursor: TickCursor) -> Bool {
    ledger.owes(cursor, missedTicks, below: indexLimit)
  }

  // MARK: The end

  package enum FinishAction: Equatable {
    case none
    /// Those who wait are told of the end.
    case conclude
  }

  /// Ends the timer. What wasn't taken by now isn't taken any more, also of a timer that had completed.
  @discardableResult
  package mutating func finish(
    _ reason: TimerFinishReason, at now: () -> ClockReading
  ) -> FinishAction {
    switch state {
    case .armed, .parked, .consulting, .last:
      agenda.stop(at: now)
      state = .finished(reason)
      return .conclude
    case .paused(let since, _):
      agenda.stop { since }
      state = .finished(reason)
      return .conclude
    case .completed:
      state = .finished(.completed)
      return .none
    case .finished:
      return .none
    }
  }

  /// Completes the timer if its last tick was taken or nobody is owed it, and nothing is under way for it.
  package mutating func completeIfOver(isOwed: Bool, isRunning: Bool) {
    switch state {
    case .last:
      if !isRunning, !isOwed || ledger.isNewestTaken || isAtLimit { state = .completed }
    case .paused(_, .last):
      // A tick that is owed is kept for the time after the pause.
      if !isRunning, !isOwed { state = .completed }
    case .armed, .parked, .consulting, .paused, .completed, .finished:
      break
    }
  }

  /// Gives up the rule of a finished timer, to be released where no lock is held.
  package mutating func relinquishRule() -> (any TickRule)? {
    isFinished ? agenda.end() : nil
  }

  // MARK: Steps

  /// Takes up another plan, and returns the rule of the one before.
  mutating func adopt(_ plan: consuming TimerPlan) -> (any TickRule)? {
    let rule = agenda.end()
    ledger.withdraw()
    hasUntakenDeadline = false
    missesDeadlines = false
    agenda = plan.agenda
    missedTicks = plan.missedTicks
    indexLimit = ledger.takenCount.addingSaturated(plan.limit)
    tolerance = plan.tolerance
    return rule
  }

  /// Waits for the first deadline, if there is one.
  mutating func begin(at reading: ClockReading) {
    file(at: reading)
    if isAtLimit { state = .last }
  }

  /// Notes that deadlines have passed.
  mutating func note(_ passed: Agenda.Passed) {
    if missedTicks == .delay, passed.count > 1 || hasUntakenDeadline { missesDeadlines = true }
    hasUntakenDeadline = true
  }

  /// Waits for the next deadline once a tick is taken, or sure to be.
  ///
  /// Under `.delay`, a tick that others were missed before is the origin of a new cadence.
  mutating func fileNext(at reading: ClockReading) {
    if missesDeadlines { agenda.restart(at: reading) }
    missesDeadlines = false
    file(at: reading)
  }

  /// Waits for a listener, unless there is nothing more to wait for.
  mutating func park(at reading: ClockReading) {
    resumed = .past
    state =
      agenda.isByRule || agenda.upcoming(at: reading) != nil
      ? .parked(end: agenda.lastDeadline(after: reading)) : .last
  }

  /// Waits for the next deadline, if there is one.
  mutating func file(at reading: ClockReading) {
    resumed = .past
    state = agenda.upcoming(at: reading).map { .armed(due: $0) } ?? .last
  }

  var isAtLimit: Bool { ledger.takenCount >= indexLimit }

  mutating func newInquiry() -> UInt64 {
    inquiryCount += 1
    return inquiryCount
  }
}
