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
/// first need: when a timer is paused or goes on after a tick, and at the start for a limit. Until then each part has
/// its default. Only this file knows whether the extras are there.
package struct TimerStateMachine: ~Copyable {
  private var extras: TimerExtras?
  var recurrence = Recurrence.none
  var state = State.last
  var missedTicks = MissedTickBehavior.skip
  private var shortTolerance = Microseconds.zero

  /// Starts the timer of a schedule. The clocks are read if the first deadline depends on them.
  package init(_ bound: consuming BoundSchedule, at reading: @autoclosure () -> ClockReading) {
    _ = adopt(bound)
    begin(at: reading())
  }

  /// Returns the extras, and makes them if there are none. From then on their ledger has the first tick.
  @discardableResult
  mutating func makeExtras() -> TimerExtras {
    if let extras { return extras }
    let extras = TimerExtras(ledger)
    recurrence.forgetFirstTick()
    self.extras = extras
    return extras
  }

  // MARK: Ticks

  /// The ledger of ticks.
  package var ledger: TickLedger {
    if let extras { return extras.ledger }
    return recurrence.firstTick.map {
      TickLedger(firedAt: $0.date, lateness: $0.lateness, isTaken: $0.isTaken)
    }
      ?? TickLedger()
  }

  /// Fires the timer for a single deadline, if it has no extras. Returns false if it has, or if there are others.
  mutating func fireOnce(at reading: ClockReading) -> Bool {
    extras == nil && recurrence.fireOnce(at: reading)
  }

  /// Returns the cursor of a listener that joins now. ``join(isAlone:at:)`` says which ticks it is owed.
  mutating func joinLedger(isAlone: Bool) -> TickCursor {
    func join(_ ledger: inout TickLedger) -> TickCursor {
      isAlone && ledger.takenCount == 0 ? ledger.joinFirst() : ledger.join(isAlone: isAlone)
    }
    if let extras { return join(&extras.ledger) }
    // A listener that joins changes nothing in a ledger that has counted at most the first tick.
    var ledger = ledger
    return join(&ledger)
  }

  /// Takes the tick that the listener is owed next, if there is one.
  mutating func takeFromLedger(_ cursor: inout TickCursor) -> TimerTick? {
    if let extras {
      let tick = extras.ledger.takeTick(
        for: &cursor, missedTicks, interval: recurrence.interval, below: extras.indexLimit)
      if tick != nil { extras.hasUntakenDeadline = false }
      return tick
    }
    var ledger = ledger
    let tick = ledger.takeTick(for: &cursor, missedTicks, interval: nil, below: .max)
    if tick != nil { recurrence.firstTickTaken() }
    return tick
  }

  /// Returns the numbers of ticks taken since `takenBefore` was the ``TickLedger/takenCount``, and of deadlines missed
  /// before them that weren't counted yet. Returns nil if no tick was taken that no listener had taken before.
  mutating func countAnew(takenBefore: Int64) -> TickCount? {
    if let extras { return extras.ledger.countAnew(takenBefore: takenBefore) }
    var ledger = ledger
    return ledger.countAnew(takenBefore: takenBefore)
  }

  /// The number of ticks at which the timer ends.
  var indexLimit: Int64 {
    get { extras?.indexLimit ?? .max }
    set { if extras != nil || newValue < .max { makeExtras().indexLimit = newValue } }
  }

  var tolerance: Interval {
    get { extras?.tolerance ?? shortTolerance.interval }
    set {
      if let short = Microseconds(newValue) {
        shortTolerance = short
        extras?.tolerance = nil
      } else {
        makeExtras().tolerance = newValue
      }
    }
  }

  /// Under `.delay`, the moment up to which the tick of the newest deadline keeps the cadence.
  var latest: Deadline? {
    get { extras?.latest }
    set { if latest != newValue { makeExtras().latest = newValue } }
  }

  /// Forgets, for `.delay`, the deadlines that have passed, because another schedule begins.
  mutating func forgetDeadlines() {
    extras?.hasUntakenDeadline = false
    extras?.latest = nil
  }

  // MARK: Pauses and inquiries

  var isPausedByCall: Bool {
    get { extras?.isPausedByCall ?? false }
    set { if isPausedByCall != newValue { makeExtras().isPausedByCall = newValue } }
  }

  var pausingScopeCount: Int32 {
    get { extras?.pausingScopeCount ?? 0 }
    set { makeExtras().pausingScopeCount = newValue }
  }

  /// The reading at which the present pause or inquiry began.
  var since: ClockReading {
    get { extras?.since ?? ClockReading(monotonic: .past, wall: .past) }
    set { makeExtras().since = newValue }
  }

  /// The number of the last inquiry.
  var inquiry: UInt32 { extras?.inquiry ?? 0 }

  /// The moment at which the timer was resumed, if the deadline it waits for had passed by then.
  var resumed: Deadline {
    get { extras?.resumed ?? .past }
    set { if resumed != newValue { makeExtras().resumed = newValue } }
  }

  // MARK: Consumers

  /// The cursor of the first consumer, if it has gone beyond the first tick.
  var cursor: TickCursor { extras?.cursor ?? .start }
  /// The listeners besides the first consumer.
  var listeners: Listeners? { extras?.listeners }
  var laterRunCount: UInt64 { extras?.laterRunCount ?? 0 }
  var failure: (any Error)? { extras?.failure }
  var failureCount: Int { extras?.failureCount ?? 0 }

  /// Returns the listeners besides the first consumer, and makes the object if there is none.
  mutating func makeListeners() -> Listeners {
    if let listeners { return listeners }
    let listeners = Listeners()
    makeExtras().listeners = listeners
    return listeners
  }

  /// Removes and returns the first of the tasks of the first listener that wait here.
  mutating func popTask() -> WaitingTask? {
    guard let extras, !extras.tasks.isEmpty else { return nil }
    return extras.tasks.removeFirst()
  }

  var hasEndWaiters: Bool { extras.map { !$0.endWaiters.isEmpty || !$0.quietWaiters.isEmpty } ?? false }
}
