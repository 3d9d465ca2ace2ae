/// The life of one timer: its next deadline, the ticks yet to be taken, its listeners and runs, its pauses,
/// and its end.
///
/// The machine performs nothing itself. ``TimerEntry`` guards it with a lock. After a change it takes what is
/// to be done by ``takeEffects(since:_:sparing:)``, and performs that.
///
///     armed ───fire, not awaited───▶ dormant ───take, by a rule───▶ asking
///     ▲ ▲ │                            │                               │
///     │ │ └─fire, awaited─▶ armed     take                           answer
///     │ └──────────────────────────────┴───────────────────────────────┤
///     └─ armed again while there is a next deadline, else ─▶ last ◀────┘
///
///     armed, dormant, asking, last ──pause──▶ paused ──resume──▶ armed, dormant, last
///
///     armed, dormant ──limit reached──▶ last ───over───▶ completed
///     any ───finish───▶ finished
///
/// If no task was waiting for a tick, or a rule gives the dates, the timer becomes dormant: the next deadline
/// isn't filed. Taking the tick computes which deadlines have passed since then, and files the next. If the
/// wall clock is set back, an armed or asking timer on a rule is asking again.
///
/// A timer of one deadline needs no more than this. All others, and any that was paused, has a limit or needs
/// more than the states have, also have ``TimerExtras``.
package struct TimerStateMachine: ~Copyable {
  enum State {
    /// Waits for a deadline. A listener that was woken for the previous tick may not have taken it yet.
    ///
    /// Without extras, a deadline on the monotonic clock ends a delay.
    case armed(Deadline, after: Interval = .zero, on: Timeline)
    /// There is a tick for which no task was waiting, or the rule has yet to be asked. The timer waits for
    /// its last deadline of all, if there is one, as it may end without a listener to take its ticks.
    case dormant(last: Deadline)
    /// A rule is being asked for the next date. An answer to any other question is out of date.
    case asking
    /// No deadline is left. The last tick may be yet to be taken, or an action may be running for it.
    case last(OnlyTick? = nil)
    /// Nothing fires and nothing is taken. A resume goes on with what was interrupted.
    case paused(Interrupted)
    /// The last tick was taken, or no listener is owed it. Other listeners may still take ticks they are
    /// owed.
    case completed(OnlyTick? = nil)
    /// No tick is taken any more.
    case finished(TimerFinishReason)
  }

  /// The tick of a timer of one deadline that has no extras.
  struct OnlyTick {
    var date: Deadline
    var lateness: Interval
    var isTaken = false
  }

  enum Interrupted { case waiting, last }

  /// The consumer that a timer has of its own, from its start. Any others are listeners that join it.
  enum Consumer {
    /// The action, if it is a closure and the timer has not finished.
    case action(TimerAction.Plain?)
    /// The stream's tasks that wait.
    case stream(SmallList<WaitingTask>)
    /// There is none, or the stream has left.
    case none
  }

  // Every word counts here: the GNU C library frees an entry of up to 120 bytes without a lock. For larger
  // ones, threads contend for the lock of its allocator.

  var extras: TimerExtras?
  var state = State.last()
  var missedTicks = MissedTickBehavior.skip
  /// A tolerance of whole microseconds.
  var shortTolerance: UInt32 = 0
  var consumer: Consumer
  // The next three lie in the padding.
  let onError: ActionErrorBehavior
  var flags: Flags = []
  var handleCount: UInt32 = 0
  /// The task of the run under way, once it is known.
  var runTask: Task<Void, Never>?
  /// The timer's place or, once it has ended, its last place.
  var lastPlace: Filing.Place?

  /// Starts the timer of a schedule. The clocks are read if the first deadline depends on them.
  package init(
    _ recurrence: borrowing Recurrence, action: TimerAction? = nil, hasStream: Bool = false,
    onError: ActionErrorBehavior = .keepTicking,
    at reading: @autoclosure () -> ClockReading
  ) {
    consumer = action.map { .action($0.plain) } ?? (hasStream ? .stream(SmallList()) : .none)
    self.onError = onError
    _ = adopt(recurrence, at: reading())
  }

  /// Ends the timer. Ticks that weren't taken by now can't be taken any more, even from a timer that had
  /// completed.
  package mutating func finish(_ reason: TimerFinishReason, at now: () -> ClockReading) {
    let end: TimerFinishReason
    switch state {
    case .armed, .dormant, .asking, .last, .paused: end = reason
    case .completed: end = .completed
    case .finished: return
    }
    if let extras, extras.recurrence.isCountdown, let (scale, elapsed) = countdown(at: now()) {
      extras.recurrence.stop(scale, after: elapsed)
    }
    state = .finished(end)
  }

  /// Completes the timer if its last tick was taken or no listener is owed it. No action is running for it.
  package mutating func completeIfOver(isOwed: Bool) {
    switch state {
    case .last(let tick):
      if !isOwed || ledger.isNewestTaken || isAtLimit { state = .completed(tick) }
    case .paused(.last):
      // A tick that is owed is kept until after the pause.
      if !isOwed { state = .completed() }
    case .armed, .dormant, .asking, .paused, .completed, .finished:
      break
    }
  }

  /// Adopts a schedule's deadlines, and waits for the first. Returns the rule of the previous schedule.
  mutating func adopt(
    _ next: borrowing Recurrence, at reading: @autoclosure () -> ClockReading
  ) -> (any TickRule)? {
    missedTicks = next.missedTicks
    if extras == nil, !ledger.hasFired, let due = next.plainDeadline,
      let tolerance = next.tolerance.wholeMicroseconds
    {
      shortTolerance = tolerance
      state = .armed(due, after: next.delay, on: next.timeline)
      return nil
    }
    let extras = makeExtras()
    let rule = extras.recurrence.end()
    extras.begin(copy next)
    waitForNext(extras, at: reading())
    if isAtLimit { state = .last() }
    return rule
  }

  /// Passes the deadlines that have come while no task was waiting. A rule's dates aren't known.
  mutating func deadlinesPassed(_ extras: TimerExtras, at reading: ClockReading) {
    guard let passed = extras.recurrence.pass(at: reading) else { return }
    notePunctuality(passed, extras)
    let lateness = reading[extras.recurrence.timeline] - passed.newest
    extras.ledger.deadlinesPassed(passed.count, newest: reading.wall - lateness)
  }

  /// Under `.delay`, notes up to when the tick of the newest deadline that has passed keeps the cadence.
  func notePunctuality(_ passed: Recurrence.Passed, _ extras: TimerExtras) {
    guard missedTicks == .delay, extras.recurrence.interval != nil, !extras.recurrence.isBoundToDates else {
      return
    }
    let isMissed = passed.count > 1 || extras.hasUntakenDeadline
    extras.punctualUntil = isMissed ? .past : passed.newest + tolerance
    extras.hasUntakenDeadline = true
  }

  /// Goes on to the next deadline once a tick is taken, or is certain to be.
  ///
  /// Under `.delay`, a tick that comes too late or after missed deadlines is the origin of a new cadence.
  mutating func goOn(_ extras: TimerExtras, at reading: ClockReading) {
    if let punctualUntil = extras.punctualUntil.take(),
      reading[extras.recurrence.timeline] - punctualUntil > extras.grace
    {
      extras.recurrence.restart(at: reading)
    }
    waitForNext(extras, at: reading)
  }

  /// Waits for a listener and for the last deadline of all, unless there is nothing more to wait for.
  mutating func becomeDormant(_ extras: TimerExtras, at reading: ClockReading) {
    extras.resumed = .past
    extras.since = reading
    let isOver = !extras.recurrence.isByRule && extras.recurrence.upcoming(at: reading) == nil
    state = isOver ? .last() : .dormant(last: extras.recurrence.lastDeadline(after: reading) ?? .never)
  }

  mutating func waitForNext(_ extras: TimerExtras, at reading: @autoclosure () -> ClockReading) {
    extras.resumed = .past
    let timeline = extras.recurrence.timeline
    if timeline == .wall { extras.since = reading() }
    let due = extras.recurrence.upcoming(at: timeline == .wall ? extras.since : reading())
    state = due.map { .armed($0, on: timeline) } ?? .last()
  }
}
