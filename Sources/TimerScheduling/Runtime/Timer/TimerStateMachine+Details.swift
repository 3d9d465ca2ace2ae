extension TimerStateMachine {
  /// What there is to know of a timer besides what the machine keeps in short. It is made when a timer is paused or has
  /// ticked and goes on, and at the start for a limit, a last date, jitter, or a recurrence that isn't simple.
  ///
  /// Belongs to the machine alone, so its accesses never overlap.
  final class Details {
    @safe @exclusivity(unchecked) var ledger: TickLedger
    /// The recurrence, if it isn't simple.
    @safe @exclusivity(unchecked) var recurrence: Recurrence.Box?
    /// Of a recurrence that isn't simple: the deadline that an armed timer waits for or, while the timer is dormant, its
    /// last one of all.
    @safe @exclusivity(unchecked) var due = Deadline.never
    /// Ticks with this index and above aren't taken.
    @safe @exclusivity(unchecked) var indexLimit = Int64.max
    /// A tolerance that isn't short.
    @safe @exclusivity(unchecked) var tolerance: Interval?
    /// Under `.delay`: whether a deadline has passed whose tick nobody has taken.
    @safe @exclusivity(unchecked) var hasUntakenDeadline = false
    /// Under `.delay`: whether deadlines were missed since the cadence began, so that it is to begin anew.
    @safe @exclusivity(unchecked) var missesDeadlines = false
    /// When the timer was resumed, on its own clock, if the deadline it waits for had passed by then.
    @safe @exclusivity(unchecked) var resumed = Deadline.past
    /// What keeps the timer paused.
    var isPausedByCall = false
    var pausingScopeCount = 0
    /// When the pause or the inquiry began that is under way.
    var since = ClockReading(monotonic: .past, wall: .past)
    /// The number of the inquiry that was made last.
    var inquiry: UInt64 = 0

    init(_ ledger: TickLedger) { self.ledger = ledger }

    /// The deadlines are those of another schedule from now on.
    func forgetDeadlines() {
      hasUntakenDeadline = false
      missesDeadlines = false
    }
  }

  /// Returns the details, and makes them before if there are none.
  @discardableResult
  mutating func makeDetails() -> Details {
    if let details { return details }
    let details = Details(ledger)
    // Its ledger has the tick from now on.
    if hasFired { simple = .passed }
    self.details = details
    return details
  }

  /// Whether the recurrence is the simple one.
  var isSimple: Bool { details?.recurrence == nil }

  /// Which deadlines there are.
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

  /// Passes the deadlines that have come, or returns nil if none has.
  mutating func passDeadlines(at reading: ClockReading) -> Recurrence.Passed? {
    // Not by way of the property: a coroutine takes memory for its frame.
    if let box = details?.recurrence { return box.value.pass(at: reading) }
    var recurrence = Recurrence(simple, on: timeline)
    let passed = recurrence.pass(at: reading)
    simple = recurrence.simple
    return passed
  }

  /// The spacing of the deadlines, if there are several.
  var interval: Interval? { isSimple ? simple.interval : details?.recurrence?.value.interval }

  /// Which ticks there are.
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

  /// Whether the ledger may have anything to say.
  var hasFired: Bool {
    guard details == nil else { return true }
    return switch simple {
    case .fired, .taken: true
    case .once, .every, .passed: false
    }
  }

  /// How many ticks were taken, by one listener at least.
  var takenCount: Int64 {
    if let details { return details.ledger.takenCount }
    return switch simple {
    case .taken: 1
    case .fired, .once, .every, .passed: 0
    }
  }

  /// How many ticks were taken, and how many deadlines missed before them, since this has told of any. `takenBefore` is
  /// the ``takenCount`` of then.
  mutating func countAnew(takenBefore: Int64) -> TickLedger.Count? {
    if let details { return details.ledger.countAnew() }
    return takenCount > takenBefore ? TickLedger.Count(taken: 1, missed: 0) : nil
  }

  /// The timer of a single deadline, which it has waited for since it was made, has fired for it.
  mutating func firedOnce(at date: Deadline, lateness: Interval) {
    simple = .fired(at: date, lateness: lateness)
  }

  var indexLimit: Int64 { details?.indexLimit ?? .max }
  var isAtLimit: Bool { details.map { $0.ledger.takenCount >= $0.indexLimit } ?? false }
  var missesDeadlines: Bool { details?.missesDeadlines ?? false }
  var isByRule: Bool { details?.recurrence?.value.isByRule ?? false }
  var isCountdown: Bool { details?.recurrence?.value.isCountdown ?? false }
}
