extension TimerStateMachine {
  /// The parts of a timer's state beyond those the machine stores in short form. They are made when a timer is paused
  /// or continues after a tick, and at the start for a limit, a last date, jitter, or a recurrence that isn't simple.
  ///
  /// They belong to the machine alone, so accesses never overlap.
  final class Details {
    @safe @exclusivity(unchecked) var ledger: TickLedger
    /// The recurrence, if it isn't simple.
    @safe @exclusivity(unchecked) var recurrence: Recurrence.Box?
    /// For a recurrence that isn't simple, the deadline that an armed timer waits for or, while the timer is dormant,
    /// its last deadline of all.
    @safe @exclusivity(unchecked) var due = Deadline.never
    /// The number of ticks at which the timer ends. Ticks with this index or a higher one aren't taken.
    @safe @exclusivity(unchecked) var indexLimit = Int64.max
    /// A tolerance that isn't short.
    @safe @exclusivity(unchecked) var tolerance: Interval?
    /// Under `.delay`, whether a deadline has passed whose tick no listener has taken.
    @safe @exclusivity(unchecked) var hasUntakenDeadline = false
    /// Under `.delay`, the moment up to which the tick of the newest deadline keeps the cadence. It is
    /// ``Deadline/past`` after missed deadlines, and nil once that tick was taken or has fired for a waiting task.
    @safe @exclusivity(unchecked) var latest: Deadline?
    /// The next two are the reasons for which the timer is paused. They lie in the padding of the property before.
    var isPausedByCall = false
    var pausingScopeCount: Int32 = 0
    /// The moment at which the timer was resumed, on its own clock, if the deadline it waits for had passed by then.
    @safe @exclusivity(unchecked) var resumed = Deadline.past
    /// The reading at which the present pause or inquiry began.
    var since = ClockReading(monotonic: .past, wall: .past)
    /// The number of the last inquiry.
    var inquiry: UInt64 = 0

    init(_ ledger: TickLedger) { self.ledger = ledger }

    /// Resets the flags on past deadlines, because another schedule begins.
    func forgetDeadlines() {
      hasUntakenDeadline = false
      latest = nil
    }
  }

  /// Returns the details, and makes them if there are none.
  @discardableResult
  mutating func makeDetails() -> Details {
    if let details { return details }
    let details = Details(ledger)
    // From now on the details' ledger has the tick.
    if hasFired { simple = .passed }
    self.details = details
    return details
  }

  /// Whether the recurrence is the simple one.
  var isSimple: Bool { details?.recurrence == nil }

  /// The timer's recurrence.
  var recurrence: Recurrence {
    get { details?.recurrence?.value ?? Recurrence(simple, on: timeline) }
    _modify {
      if let box = details?.recurrence {
        yield &box.value
      } else {
        var recurrence = Recurrence(simple, on: timeline)
        yield &recurrence
        if details != nil || !hasFired { simple = recurrence.simple }
      }
    }
  }

  /// Passes the deadlines that have come. Returns nil if none has.
  mutating func passDeadlines(at reading: ClockReading) -> Recurrence.Passed? {
    // Doesn't use the `recurrence` property, because its coroutine would allocate memory for a frame.
    if let box = details?.recurrence { return box.value.pass(at: reading) }
    var recurrence = Recurrence(simple, on: timeline)
    let passed = recurrence.pass(at: reading)
    simple = recurrence.simple
    return passed
  }

  /// The spacing of the deadlines, if there are several.
  var interval: Interval? { isSimple ? simple.interval : details?.recurrence?.value.interval }

  /// The timer's ledger of ticks.
  var ledger: TickLedger {
    get {
      if let details { return details.ledger }
      return switch simple {
      case .fired(let date, let lateness): TickLedger(firedAt: date, lateness: lateness, isTaken: false)
      case .taken(let date, let lateness): TickLedger(firedAt: date, lateness: lateness, isTaken: true)
      case .once, .every, .passed: TickLedger()
      }
    }
    _modify { yield &makeDetails().ledger }
  }

  /// Whether the ledger may have counted anything.
  var hasFired: Bool {
    guard details == nil else { return true }
    return switch simple {
    case .fired, .taken: true
    case .once, .every, .passed: false
    }
  }

  /// The number of ticks taken by at least one listener.
  var takenCount: Int64 {
    if let details { return details.ledger.takenCount }
    return switch simple {
    case .taken: 1
    case .fired, .once, .every, .passed: 0
    }
  }

  /// Returns the numbers of ticks taken, and of deadlines missed before them, since the last call that returned any.
  /// `takenBefore` is the ``takenCount`` before the change.
  mutating func countAnew(takenBefore: Int64) -> TickCount? {
    if let details { return details.ledger.countAnew() }
    return takenCount > takenBefore ? TickCount(taken: 1, missed: 0) : nil
  }

  /// Notes the firing of a timer with a single deadline that has only waited for it since it was made.
  mutating func firedOnce(at date: Deadline, lateness: Interval) {
    simple = .fired(at: date, lateness: lateness)
  }

  var indexLimit: Int64 { details?.indexLimit ?? .max }
  var isAtLimit: Bool { details.map { $0.ledger.takenCount >= $0.indexLimit } ?? false }
  var latest: Deadline? { details?.latest }
  var isByRule: Bool { details?.recurrence?.value.isByRule ?? false }
  var isCountdown: Bool { details?.recurrence?.value.isCountdown ?? false }
}
