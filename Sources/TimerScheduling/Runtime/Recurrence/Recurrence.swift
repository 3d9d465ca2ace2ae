/// The deadlines of one timer that are still ahead, and the tick of a single deadline that has passed.
///
/// Most timers need two words: a deadline, or a spacing with the next deadline, or the tick. The others have an
/// object.
package enum Recurrence: Sendable {
  /// One deadline.
  case once(Deadline, on: Timeline)
  /// Deadlines at even spacing on the monotonic clock, without jitter and without an end.
  case every(Interval, next: Deadline)
  /// Any other deadlines.
  case full(Box)
  /// The timer has fired for its single deadline, at a moment of the wall clock, and no task has taken the tick.
  case fired(at: Deadline, lateness: Interval)
  /// As `fired`, and the tick was taken.
  case taken(at: Deadline, lateness: Interval)
  /// The single deadline has passed.
  case none

  /// A recurrence with an object of its own.
  ///
  /// It is confined: it belongs to one bound schedule, and then to the state of the one timer made with that schedule.
  package final class Box: @unchecked Sendable {
    @safe @exclusivity(unchecked) var value: FullRecurrence
    /// The deadline that the timer waits for: the next, or the last of all.
    @safe @exclusivity(unchecked) fileprivate var due = Deadline.never

    init(_ value: FullRecurrence) { self.value = value }
  }

  var timeline: Timeline {
    switch self {
    case .once(_, let timeline): timeline
    case .full(let box): box.value.timeline
    case .every, .fired, .taken, .none: .monotonic
    }
  }

  var interval: Interval? {
    switch self {
    case .every(let interval, _): interval
    case .full(let box): box.value.interval
    case .once, .fired, .taken, .none: nil
    }
  }

  var isOnce: Bool {
    switch self {
    case .once, .fired, .taken, .none: true
    case .every: false
    case .full(let box): box.value.isOnce
    }
  }

  /// Whether the deadlines are dates on the wall clock, which pauses don't move.
  var isBoundToDates: Bool {
    switch self {
    case .once(_, let timeline): timeline == .wall
    case .full(let box): box.value.sequence.isBoundToDates
    case .every, .fired, .taken, .none: false
    }
  }

  // MARK: Waiting for a deadline

  // Only an object has something to decide, as it may wait for its next deadline or for its last.

  /// The deadline for which ``aim(at:)`` has decided, or ``Deadline/never``.
  var due: Deadline {
    switch self {
    case .once(let due, _), .every(_, let due): due
    case .full(let box): box.due
    case .fired, .taken, .none: .never
    }
  }

  /// The deadline for which ``aimAtEnd(at:)`` has decided, or ``Deadline/never``.
  var dueAtEnd: Deadline { full?.due ?? .never }

  /// Decides to wait for the next deadline. Returns false if there is none.
  mutating func aim(at reading: @autoclosure () -> ClockReading) -> Bool {
    switch self {
    case .once, .every: return true
    case .full(let box):
      guard let due = box.value.upcoming(at: reading()) else { return false }
      box.due = due
      return true
    case .fired, .taken, .none: return false
    }
  }

  /// Decides to wait for the last deadline of all, if there is one. Returns false if there is no next deadline.
  mutating func aimAtEnd(at reading: ClockReading) -> Bool {
    switch self {
    case .once, .every: return true
    case .full(let box):
      guard box.value.isByRule || box.value.upcoming(at: reading) != nil else { return false }
      box.due = box.value.lastDeadline(after: reading) ?? .never
      return true
    case .fired, .taken, .none: return false
    }
  }

  /// Decides to wait for no deadline until a rule has given the next date.
  func aimAtNothing() { full?.due = .never }

  // MARK: Deadlines

  func upcoming(at reading: ClockReading) -> Deadline? {
    switch self {
    case .once(let next, _), .every(_, let next): next
    case .full(let box): box.value.upcoming(at: reading)
    case .fired, .taken, .none: nil
    }
  }

  /// Returns the first deadline after `reading`, whether or not earlier ones were passed.
  func firstDeadline(after reading: ClockReading) -> Deadline? {
    var later = inFull
    _ = later.pass(at: reading)
    return later.upcoming(at: reading)
  }

  package struct Passed: Equatable {
    var count: Int64
    var newest: Deadline
  }

  mutating func pass(at reading: ClockReading) -> Passed? {
    switch self {
    case .once(let due, let timeline):
      guard due <= reading[timeline] else { return nil }
      self = .none
      return Passed(count: 1, newest: due)
    case .every(let interval, let next):
      let now = reading.monotonic
      guard next <= now else { return nil }
      // Computed without a sign, as the time since then may be longer than an interval.
      let elapsed = UInt64(bitPattern: now.nanoseconds &- next.nanoseconds)
      let (steps, rest) = elapsed.quotientAndRemainder(dividingBy: UInt64(interval.nanoseconds))
      let newest = Deadline(nanoseconds: now.nanoseconds &- Int64(bitPattern: rest))
      self = .every(interval, next: newest + interval)
      return Passed(count: Int64(clamping: steps).addingSaturated(1), newest: newest)
    case .full(let box): return box.value.pass(at: reading)
    case .fired, .taken, .none: return nil
    }
  }

  /// Begins a new cadence at this moment, unless the cadence is fixed on the wall clock.
  mutating func restart(at reading: ClockReading) {
    switch self {
    case .every(let interval, _): self = .every(interval, next: reading.monotonic + interval)
    case .full(let box): box.value.restart(at: reading)
    case .once, .fired, .taken, .none: break
    }
  }

  // MARK: Pauses

  /// Moves the deadlines later by the time from `since`. Returns false if they are dates on the wall clock.
  mutating func postpone(from since: ClockReading, to reading: ClockReading) -> Bool {
    let pause = reading.monotonic - since.monotonic
    switch self {
    case .once(_, on: .wall): return false
    case .once(let due, on: .monotonic): self = .once(due + pause, on: .monotonic)
    case .every(let interval, let next): self = .every(interval, next: next + pause)
    case .full(let box): return box.value.postpone(from: since, to: reading)
    case .fired, .taken, .none: break
    }
    return true
  }

  /// Leaves out the deadlines of a pause, as if they had never existed. A single deadline stays, as does the last of
  /// a countdown.
  mutating func skip(from since: ClockReading, to reading: ClockReading) {
    switch self {
    case .every: _ = pass(at: reading)
    case .full(let box): box.value.skip(from: since, to: reading)
    case .once, .fired, .taken, .none: break
    }
  }

  /// Returns the deadlines of both recurrences if neither has an object. Then the other one may take the place of
  /// this one without a look at the clocks.
  func deadlines(before other: Recurrence) -> (old: Deadline, new: Deadline)? {
    full == nil && other.full == nil && timeline == other.timeline ? (due, other.due) : nil
  }

  // MARK: The first tick

  /// Fires for a single deadline, of which this then has the tick. Returns false if there are others.
  mutating func fireOnce(at reading: ClockReading) -> Bool {
    switch self {
    case .once(let due, let timeline):
      self = .fired(at: reading.wall, lateness: reading[timeline] - due)
      return true
    case .every, .full, .fired, .taken, .none: return false
    }
  }

  /// The tick of the single deadline, if the timer has fired for it.
  var firstTick: (date: Deadline, lateness: Interval, isTaken: Bool)? {
    switch self {
    case .fired(let date, let lateness): (date, lateness, false)
    case .taken(let date, let lateness): (date, lateness, true)
    case .once, .every, .full, .none: nil
    }
  }

  mutating func firstTickTaken() {
    if let (date, lateness, _) = firstTick { self = .taken(at: date, lateness: lateness) }
  }

  /// Forgets the first tick, which is now kept elsewhere.
  mutating func forgetFirstTick() {
    if firstTick != nil { self = .none }
  }
}
