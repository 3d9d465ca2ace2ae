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
/// A timer that only waits for its first deadline takes 32 bytes. The rest of its state, ``Details``, is made at
/// first need.
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
  }

  /// The state in which a paused timer continues.
  enum Interrupted {
    /// Waiting for a deadline.
    case waiting
    /// A rule has yet to be asked.
    case asking
    /// No deadline is left.
    case last
  }

  /// Nil as long as the fields below are sufficient.
  var details: Details?
  /// The recurrence, if it is simple. It is ``SimpleRecurrence/passed`` if the details have another one.
  var simple = SimpleRecurrence.passed
  private(set) var timeline = Timeline.monotonic
  var state = State.last
  var missedTicks = MissedTickBehavior.skip
  var shortTolerance = Microseconds.zero

  /// Starts the timer of a schedule. The clocks are read if its recurrence isn't simple.
  package init(_ bound: consuming BoundSchedule, at reading: @autoclosure () -> ClockReading) {
    _ = adopt(bound)
    begin(at: reading())
  }

  // MARK: Queries

  package typealias Filing = TimerScheduling.Filing

  /// The deadline for which the timer must be fired, if there is one.
  package var filing: Filing? {
    let due = due
    guard due < .never else { return nil }
    return Filing(timeline: timeline, deadline: due, latest: due + tolerance)
  }

  /// The deadline for which the timer must be fired, or ``Deadline/never``.
  var due: Deadline {
    switch state {
    case .armed: isSimple ? simple.next ?? .never : details?.due ?? .never
    case .dormant: isSimple ? .never : details?.due ?? .never
    case .consulting, .last, .paused, .completed, .finished: .never
    }
  }

  var tolerance: Interval { details?.tolerance ?? shortTolerance.interval }

  package var isFinished: Bool { finishReason != nil }

  package var finishReason: TimerFinishReason? {
    switch state {
    case .completed: .completed
    case .finished(let reason): reason
    case .armed, .dormant, .consulting, .last, .paused: nil
    }
  }

  /// Returns whether a listener that asks for a tick now must wait for one.
  package func mustWait(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last: !owes(cursor)
    case .consulting, .paused: true
    case .dormant, .completed, .finished: false
    }
  }

  /// Returns whether asking for a tick now may return one.
  package func canTake(_ cursor: TickCursor) -> Bool {
    switch state {
    case .armed, .last, .completed: owes(cursor)
    case .dormant: true
    case .consulting, .paused, .finished: false
    }
  }

  /// Returns whether there is a tick that the listener hasn't taken.
  package func owes(_ cursor: TickCursor) -> Bool {
    hasFired && ledger.owes(cursor, missedTicks, below: indexLimit)
  }

  // MARK: The end

  /// Ends the timer. Ticks that weren't taken by now can't be taken any more, even from a timer that had completed.
  package mutating func finish(_ reason: TimerFinishReason, at now: () -> ClockReading) {
    switch state {
    case .armed, .dormant, .consulting, .last:
      details?.recurrence?.value.stop(at: now)
      state = .finished(reason)
    case .paused:
      if let details { details.recurrence?.value.stop { details.since } }
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
    isFinished ? details?.recurrence?.value.end() : nil
  }

  // MARK: Steps

  /// Adopts another schedule, and returns the rule of the previous one.
  mutating func adopt(_ bound: consuming BoundSchedule) -> (any TickRule)? {
    if hasFired { ledger.withdraw() }
    let rule = details?.recurrence?.value.end()
    details?.forgetDeadlines()
    (simple, timeline, missedTicks) = (bound.simple, bound.timeline, bound.missedTicks)
    if bound.recurrence != nil || details != nil { makeDetails().recurrence = bound.recurrence }
    if bound.limit < .max || details != nil {
      makeDetails().indexLimit = ledger.takenCount.addingSaturated(bound.limit)
    }
    if let tolerance = Microseconds(bound.tolerance) {
      shortTolerance = tolerance
      details?.tolerance = nil
    } else {
      makeDetails().tolerance = bound.tolerance
    }
    return rule
  }

  /// Waits for the first deadline, if there is one.
  mutating func begin(at reading: @autoclosure () -> ClockReading) {
    file(at: reading())
    if isAtLimit { state = .last }
  }

  /// Under `.delay`, notes up to when the tick of the newest deadline that has passed keeps the cadence.
  mutating func noteLatest(_ passed: Recurrence.Passed) {
    guard missedTicks == .delay, !recurrence.isBoundToDates else { return }
    let details = makeDetails()
    let isMissed = passed.count > 1 || details.hasUntakenDeadline
    details.latest = isMissed ? .past : passed.newest + tolerance
    details.hasUntakenDeadline = true
  }

  /// Waits for the next deadline once a tick is taken, or is certain to be.
  ///
  /// Under `.delay`, a tick that comes too late or after missed deadlines is the origin of a new cadence.
  mutating func fileNext(at reading: ClockReading) {
    if let latest, reading[timeline] - latest > grace { recurrence.restart(at: reading) }
    details?.latest = nil
    file(at: reading)
  }

  /// The lateness that doesn't begin a new cadence. Every tick is late by some microseconds, so without it the
  /// cadence would drift.
  private var grace: Interval {
    min(Interval(nanoseconds: 5_000_000), Interval(nanoseconds: (interval ?? .max).nanoseconds / 8))
  }

  /// Waits for a listener, unless there is nothing more to wait for.
  mutating func becomeDormant(at reading: ClockReading) {
    details?.resumed = .past
    if isSimple {
      state = simple.next == nil ? .last : .dormant
    } else if recurrence.isByRule || recurrence.upcoming(at: reading) != nil {
      becomeDormant(until: recurrence.lastDeadline(after: reading))
    } else {
      state = .last
    }
  }

  /// Waits for a listener and for `end`, the last deadline of all, if there is one.
  mutating func becomeDormant(until end: Deadline?) {
    state = .dormant
    details?.due = end ?? .never
  }

  /// Waits for the next deadline, if there is one.
  mutating func file(at reading: @autoclosure () -> ClockReading) {
    details?.resumed = .past
    if isSimple {
      state = simple.next == nil ? .last : .armed
    } else if let due = recurrence.upcoming(at: reading()) {
      state = .armed
      details?.due = due
    } else {
      state = .last
    }
  }
}
