/// The parts of a timer's state that a timer of one deadline doesn't have until it needs them.
///
/// It belongs to one timer and is guarded by that timer's lock, so accesses never overlap.
package final class TimerExtras {
  // First comes what each tick uses, in few cache lines.
  @safe @exclusivity(unchecked) var ledger: TickLedger
  /// The cursor of the action or the stream.
  @safe @exclusivity(unchecked) var cursor = TickCursor.start
  /// The number of ticks at which the timer ends. No tick with this index is taken.
  @safe @exclusivity(unchecked) var indexLimit = Int64.max
  /// The moment at which the timer was resumed, on its own clock, if the deadline it waits for had passed by
  /// then.
  @safe @exclusivity(unchecked) var resumed = Deadline.past
  /// The number of runs of the action after the first.
  @safe @exclusivity(unchecked) var laterRunCount: UInt64 = 0
  /// The sum of what ``fetch()`` has read. Without it the compiler would remove the reads.
  @safe @exclusivity(unchecked) private var fetched: Int64 = 0
  @safe @exclusivity(unchecked) var waiting = Listener.Waiting()
  /// Tasks that wait for the timer's end, by the numbers of their waits, and tasks that also wait for a
  /// running action.
  @safe @exclusivity(unchecked) var endWaiters: [UInt64: WaitingTask] = [:]
  @safe @exclusivity(unchecked) var quietWaiters: [WaitingTask] = []
  /// Under `.delay`, the moment up to which the tick of the newest deadline keeps the cadence. It is
  /// ``Deadline/past`` after missed deadlines, and nil once that tick was taken or has fired for a waiting
  /// task.
  @safe @exclusivity(unchecked) var punctualUntil: Deadline?
  // Properties that need less than a word lie in the padding of the one before.
  /// Under `.delay`, whether a deadline has passed whose tick no listener has taken.
  @safe @exclusivity(unchecked) var hasUntakenDeadline = false
  @safe @exclusivity(unchecked) var isPausedByCall = false
  /// Whether no task has begun to ask the present question to the rule.
  @safe @exclusivity(unchecked) var isUnasked = false
  @safe @exclusivity(unchecked) var pausingScopeCount: Int32 = 0
  @safe @exclusivity(unchecked) var recurrence: Recurrence

  /// The reading by which the dates were computed, or at which the present pause or question began.
  @safe @exclusivity(unchecked) var since = ClockReading(monotonic: .past, wall: .past)
  @safe @exclusivity(unchecked) var questionNumber: UInt32 = 0
  /// The listener that joined first.
  @safe @exclusivity(unchecked) unowned(unsafe) var firstListener: Listener?
  /// The last error that the action threw, and the number of errors.
  @safe @exclusivity(unchecked) var failure: ActionFailure?
  @safe @exclusivity(unchecked) var failureCount = 0

  init(_ recurrence: consuming Recurrence, _ ledger: TickLedger) {
    self.recurrence = recurrence
    self.ledger = ledger
  }

  /// Reads from each 64 bytes that a tick uses, so that the processor fetches them to its cache in parallel.
  @inline(__always)
  func fetch() {
    fetched = (ledger.hasFired ? 1 : 0) &+ ledger.takenCount &+ Int64(truncatingIfNeeded: laterRunCount)
    fetched &+= Int64(pausingScopeCount) &+ recurrence.next &+ recurrence.options.jitter.nanoseconds
  }

  /// Begins other deadlines in place of the present ones and their ticks.
  func begin(_ next: consuming Recurrence) {
    ledger.withdraw()
    indexLimit = ledger.takenCount.addingSaturated(next.limit)
    recurrence = next
    hasUntakenDeadline = false
    punctualUntil = nil
    resumed = .past
  }

  /// Under `.delay`, the lateness that doesn't begin a new cadence. Every tick is late by some microseconds,
  /// so without it the cadence would drift.
  var grace: Interval {
    let interval = recurrence.interval ?? .max
    return min(Interval(nanoseconds: 5_000_000), Interval(nanoseconds: interval.nanoseconds / 8))
  }
}

/// An error that an action has thrown. `release` gets it when the last reference is dropped, which may be by
/// a pass.
package final class ActionFailure: Sendable {
  let error: any Error
  private let release: @Sendable (any Error) -> Void

  package init(_ error: any Error, release: @escaping @Sendable (any Error) -> Void) {
    (self.error, self.release) = (error, release)
  }

  deinit { release(error) }
}

/// The extras of a timer's state. Until they are made, each part has its default.
extension TimerStateMachine {
  /// Returns the extras, and makes them if there are none. From then on they have the only deadline or its
  /// tick.
  @inline(__always)
  mutating func makeExtras() -> TimerExtras { extras ?? makeMissingExtras() }

  @inline(never)
  private mutating func makeMissingExtras() -> TimerExtras {
    var recurrence = recurrence
    recurrence.schedule = schedule
    let extras = TimerExtras(recurrence, ledger)
    extras.cursor = cursor
    self.extras = extras
    onlyTick = nil
    return extras
  }

  /// The deadlines. Without extras, that is the one for which the timer waits.
  var recurrence: Recurrence {
    if let extras { return extras.recurrence }
    switch state {
    case .armed(let due, _, let timeline): return Recurrence(due, on: timeline)
    case .dormant, .asking, .last, .paused, .completed, .finished: return Recurrence()
    }
  }

  var timeline: Timeline {
    switch state {
    case .armed(_, _, let timeline): timeline
    case .dormant, .asking, .last, .paused, .completed, .finished:
      extras?.recurrence.timeline ?? .monotonic
    }
  }

  package var ledger: TickLedger {
    if let extras { return extras.ledger }
    guard let tick = onlyTick else { return TickLedger() }
    return TickLedger(firedAt: tick.date, lateness: tick.lateness, isTaken: tick.isTaken)
  }

  private var onlyTick: OnlyTick? {
    get {
      switch state {
      case .last(let tick), .completed(let tick): tick
      case .armed, .dormant, .asking, .paused, .finished: nil
      }
    }
    set {
      switch state {
      case .last: state = .last(newValue)
      case .completed: state = .completed(newValue)
      case .armed, .dormant, .asking, .paused, .finished: break
      }
    }
  }

  mutating func takeFromLedger(_ cursor: inout TickCursor) -> TimerTick? {
    if let extras {
      let tick = extras.ledger.takeTick(
        for: &cursor, missedTicks, interval: extras.recurrence.interval, below: extras.indexLimit)
      if tick != nil { extras.hasUntakenDeadline = false }
      return tick
    }
    var ledger = ledger
    let tick = ledger.takeTick(for: &cursor, missedTicks, interval: nil, below: .max)
    if tick != nil { onlyTick?.isTaken = true }
    return tick
  }

  func countAnew(takenBefore: Int64) -> (taken: Int, missed: Int)? {
    if let extras { return extras.ledger.countAnew(takenBefore: takenBefore) }
    return takenCount > takenBefore ? (1, 0) : nil
  }

  var indexLimit: Int64 { extras?.indexLimit ?? .max }

  var tolerance: Interval {
    extras?.recurrence.tolerance ?? Interval(nanoseconds: Int64(shortTolerance) * 1000)
  }

  var since: ClockReading { extras?.since ?? ClockReading(monotonic: .past, wall: .past) }

  /// The cursor of the action. Without extras, no other consumer can have taken the only tick.
  var cursor: TickCursor { extras?.cursor ?? (onlyTick?.isTaken == true ? .afterFirst : .start) }

  var laterRunCount: UInt64 { extras?.laterRunCount ?? 0 }
  var failure: ActionFailure? { extras?.failure }
  var failureCount: Int { extras?.failureCount ?? 0 }
  var hasEndWaiters: Bool { extras.map { !$0.endWaiters.isEmpty || !$0.quietWaiters.isEmpty } ?? false }
}
