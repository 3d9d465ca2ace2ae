/// The life of one timer: its next deadline, the ticks yet to be taken, its pauses, and its end.
///
/// The machine performs nothing itself; ``TimerEntry`` guards it with a lock and performs what it returns.
///
///     armed ───fire, not awaited───▶ dormant ───take, by a rule───▶ consulting
///     ▲ ▲ │                            │                               │
///     │ │ └─fire, awaited─▶ armed     take                           answer
///     │ └──────────────────────────────┴───────────────────────────────┤
///     └─ armed again while there is a next deadline, else ─▶ last ◀────┘
///
///     armed, dormant, consulting, last ◀──resume──  ──pause──▶ paused
///
///     armed, dormant ──limit reached──▶ last ───over───▶ completed
///     any ───finish───▶ finished
///
/// If no task was waiting for a tick, the timer becomes dormant: the next deadline isn't filed, so no wakeup is spent
/// on listeners that are busy or away. Taking the tick computes which deadlines have passed since then, and files the
/// next. A rule is asked for the next date by the task that takes the tick before it, because a rule is user code.
///
/// A timer that only waits for its first deadline takes 32 bytes. The rest of its state, ``TimerExtras``, is made at
/// first need: when a timer is paused or goes on after a tick, and at the start for a limit.
package struct TimerStateMachine: ~Copyable {
  enum State {
    /// Waits for a deadline. A listener that was woken for the previous tick may not have taken it yet.
    case armed
    /// There is a tick for which no task was waiting, or the rule has yet to be asked. The timer waits for its last
    /// deadline of all, if there is one, as it may end without a listener to take its ticks.
    case dormant
    /// A rule is being asked for the next date. An answer to any other inquiry is out of date.
    case consulting
    /// No deadline is left. The last tick may be yet to be taken, or an action may be running for it.
    case last
    /// Nothing fires and nothing is taken until the timer is resumed in the interrupted state.
    case paused(Interrupted)
    /// The last tick was taken by at least one listener. Others may still take ticks they are owed.
    case completed
    /// No tick is taken any more.
    case finished(TimerFinishReason)

    var isArmed: Bool {
      switch self {
      case .armed: true
      case .dormant, .consulting, .last, .paused, .completed, .finished: false
      }
    }
  }

  /// The state in which a paused timer continues.
  enum Interrupted {
    case waiting
    /// A rule has yet to be asked.
    case asking
    case last
  }

  var extras: TimerExtras?
  var recurrence = Recurrence.none
  var state = State.last
  var missedTicks = MissedTickBehavior.skip
  var shortTolerance = Microseconds.zero

  /// Starts the timer of a schedule. The clocks are read if the first deadline depends on them.
  package init(_ bound: consuming BoundSchedule, at reading: @autoclosure () -> ClockReading) {
    _ = adopt(bound)
    begin(at: reading())
  }

  // MARK: The end

  /// Ends the timer. Ticks that weren't taken by now can't be taken any more, even from a timer that had completed.
  package mutating func finish(_ reason: TimerFinishReason, at now: () -> ClockReading) {
    switch state {
    case .armed, .dormant, .consulting, .last:
      recurrence.stop(at: now)
      state = .finished(reason)
    case .paused:
      recurrence.stop { since }
      state = .finished(reason)
    case .completed:
      state = .finished(.completed)
    case .finished:
      break
    }
  }

  /// Completes the timer if its last tick was taken or no listener is owed it, and no action is running for it.
  package mutating func completeIfOver(isOwed: Bool, isRunning: Bool) {
    switch state {
    case .last:
      if !isRunning, !isOwed || ledger.isNewestTaken || isAtLimit { state = .completed }
    case .paused(.last):
      // A tick that is owed is kept until after the pause.
      if !isRunning, !isOwed { state = .completed }
    case .armed, .dormant, .consulting, .paused, .completed, .finished:
      break
    }
  }

  /// Removes and returns the rule of a finished timer, to be released without a lock.
  package mutating func relinquishRule() -> (any TickRule)? {
    isFinished ? recurrence.end() : nil
  }

  // MARK: Schedules

  /// Adopts another schedule, and returns the rule of the previous one.
  mutating func adopt(_ bound: consuming BoundSchedule) -> (any TickRule)? {
    if ledger.hasFired { makeExtras().ledger.withdraw() }
    let rule = recurrence.end()
    forgetDeadlines()
    (recurrence, missedTicks, tolerance) = (bound.recurrence, bound.missedTicks, bound.tolerance)
    indexLimit = ledger.takenCount.addingSaturated(bound.limit)
    return rule
  }

  /// Waits for the first deadline, if there is one.
  mutating func begin(at reading: @autoclosure () -> ClockReading) {
    waitForNext(at: reading())
    if isAtLimit { state = .last }
  }

  // MARK: Deadlines

  /// Passes the deadlines that have come while no task was waiting. A rule's dates aren't known.
  mutating func deadlinesPassed(at reading: ClockReading) {
    let now = reading[recurrence.timeline]
    guard let passed = recurrence.pass(at: reading) else { return }
    notePunctuality(passed)
    let lateness = now - passed.newest
    makeExtras().ledger.deadlinesPassed(passed.count, newest: reading.wall - lateness)
  }

  /// Under `.delay`, notes up to when the tick of the newest deadline that has passed keeps the cadence.
  mutating func notePunctuality(_ passed: Recurrence.Passed) {
    guard missedTicks == .delay, recurrence.interval != nil, !recurrence.isBoundToDates else { return }
    let extras = makeExtras()
    let isMissed = passed.count > 1 || extras.hasUntakenDeadline
    extras.punctualUntil = isMissed ? .past : passed.newest + tolerance
    extras.hasUntakenDeadline = true
  }

  /// Goes on to the next deadline once a tick is taken, or is certain to be.
  ///
  /// Under `.delay`, a tick that comes too late or after missed deadlines is the origin of a new cadence.
  mutating func goOn(at reading: ClockReading) {
    if let punctualUntil {
      if reading[recurrence.timeline] - punctualUntil > grace { recurrence.restart(at: reading) }
      self.punctualUntil = nil
    }
    waitForNext(at: reading)
  }

  /// The lateness that doesn't begin a new cadence. Every tick is late by some microseconds, so without it the
  /// cadence would drift.
  private var grace: Interval {
    let interval = recurrence.interval ?? .max
    return min(Interval(nanoseconds: 5_000_000), Interval(nanoseconds: interval.nanoseconds / 8))
  }

  /// Waits for a listener and for the last deadline of all, unless there is nothing more to wait for.
  mutating func becomeDormant(at reading: ClockReading) {
    resumed = .past
    state = recurrence.aimAtEnd(at: reading) ? .dormant : .last
  }

  /// Waits for a task that asks the rule.
  mutating func waitForInquiry() {
    recurrence.aimAtNothing()
    state = .dormant
  }

  /// Waits for the next deadline, if there is one.
  mutating func waitForNext(at reading: @autoclosure () -> ClockReading) {
    resumed = .past
    state = recurrence.aim(at: reading()) ? .armed : .last
  }
}
