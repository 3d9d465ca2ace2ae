/// A timer that waits for its first deadline, and to which nothing has happened since it was made.
///
/// That is all that most timers of a server ever are: timeouts that are restarted or cancelled. So this is a
/// timer in a third of the memory. Whatever else happens unfolds it, as if it had been made in full.
///
/// Its schedule is an interval, a delay or a date, without what few timers have: a start, a limit, a last date, jitter,
/// or a rule. A wall clock that is set back leaves it as it is, as its date stands. Every word counts here: an entry
/// of up to 120 bytes is freed without a lock by the GNU C library, whose allocator is else what threads wait for.
struct PendingTimer: Sendable {
  enum Listening { case notYet, listening, left }

  let due: Deadline
  private let cadence: Cadence
  private let tolerance: Microseconds
  private let missedTicks: MissedTickBehavior
  private(set) var finishReason: TimerFinishReason?
  /// What the timer's first listener does.
  var listening = Listening.notYet
  /// How many handles there are.
  var handleCount: UInt8 = 0

  /// Returns nil for a schedule that takes a timer in full.
  init?(_ schedule: TimerSchedule, defaultTolerance: Interval, at now: () -> Deadline) {
    let options = schedule.options
    guard options.limit == nil, options.until == nil, options.jitter == .zero else { return nil }
    switch schedule.cadence {
    case .once(let delay):
      cadence = .once(on: .monotonic)
      due = now() + delay
    case .onceAt(let date):
      cadence = .once(on: .wall)
      due = Deadline(date)
    case .every(let interval, .afterInterval):
      cadence = .every(interval)
      due = now() + interval
    case .every, .countdown, .rule:
      return nil
    }
    let tolerance = TimerPlan.tolerance(
      options.tolerance ?? defaultTolerance, forInterval: cadence.interval)
    guard let tolerance = Microseconds(tolerance) else { return nil }
    self.tolerance = tolerance
    missedTicks = options.missedTicks
    // From one that has been clamped nothing can be counted back.
    guard due < .never else { return nil }
  }

  var registration: Registration {
    guard finishReason == nil else { return .gone(holdsError: false) }
    return .filed(
      TimerStateMachine.Filing(timeline: cadence.timeline, deadline: due, latest: due + tolerance.interval))
  }

  var isFinished: Bool { finishReason != nil }

  /// Ends the timer, unless it has ended. Returns whether it hadn't.
  mutating func finish(_ reason: TimerFinishReason) -> Bool {
    guard finishReason == nil else { return false }
    finishReason = reason
    return true
  }

  /// The same timer with the schedule of `other`, which was made just now.
  func rescheduled(as other: PendingTimer) -> PendingTimer {
    var other = other
    other.handleCount = handleCount
    other.listening = listening
    return other
  }

  /// The same timer with everything a timer can have.
  func unfold(action: ActionSlot?) -> TimerGate {
    let timetable =
      cadence.interval.map { Timetable(every: $0, from: due - $0) }
      ?? Timetable(onceAt: due, on: cadence.timeline)
    let plan = TimerPlan(timetable, missedTicks: missedTicks, tolerance: tolerance.interval)
    // Nothing of it depends on the clocks.
    let reading = ClockReading(monotonic: due, wall: due)
    var gate = TimerGate(machine: TimerStateMachine(plan, at: reading), action: action)
    switch listening {
    case .notYet:
      break
    case .listening:
      _ = gate.join { reading }
    case .left:
      _ = gate.join { reading }
      _ = gate.leave(.first)
    }
    gate.handleCount = Int(handleCount)
    if let finishReason { gate.machine.finish(finishReason) { reading } }
    return gate
  }

  // MARK: Firing

  /// Whether there is anything to fire for at this moment.
  func isDue(at reading: ClockReading) -> Bool { !isFinished && due <= reading[cadence.timeline] }

  /// A timer of one tick that has fired, whose listener has yet to ask for it.
  struct Fired {
    let reading: ClockReading
    fileprivate let due: Deadline
    fileprivate let timeline: Timeline
    fileprivate let handleCount: UInt8

    /// By how much the timer was late.
    var lateness: Interval { reading[timeline] - due }

    func unfold() -> TimerGate {
      var gate = PendingTimer(self).unfold(action: nil)
      _ = gate.machine.fire(at: reading, isAwaited: false)
      return gate
    }
  }

  /// Returns nil if it takes more to fire the timer.
  func fired(at reading: ClockReading) -> Fired? {
    guard cadence.interval == nil, listening == .listening else { return nil }
    return Fired(reading: reading, due: due, timeline: cadence.timeline, handleCount: handleCount)
  }

  private init(_ fired: Fired) {
    due = fired.due
    cadence = .once(on: fired.timeline)
    tolerance = .zero
    missedTicks = .skip
    listening = .listening
    handleCount = fired.handleCount
  }
}

/// The interval of a timer that repeats, or the clock of one that doesn't, in one word.
private struct Cadence {
  /// Zero for a single deadline on the monotonic clock, and less for one on the wall clock.
  private let word: Interval

  static func every(_ interval: Interval) -> Cadence { Cadence(word: interval) }

  static func once(on timeline: Timeline) -> Cadence {
    switch timeline {
    case .monotonic: Cadence(word: .zero)
    case .wall: Cadence(word: Interval(nanoseconds: -1))
    }
  }

  /// Nil for a single deadline.
  var interval: Interval? { word > .zero ? word : nil }

  var timeline: Timeline { word < .zero ? .wall : .monotonic }
}

/// A whole number of microseconds up to 71 minutes, in half a word.
private struct Microseconds {
  static let zero = Microseconds(count: 0)

  private let count: UInt32

  private init(count: UInt32) { self.count = count }

  /// Returns nil for an interval that isn't one.
  init?(_ interval: Interval) {
    let (count, remainder) = interval.nanoseconds.quotientAndRemainder(dividingBy: 1000)
    guard remainder == 0, let count = UInt32(exactly: count) else { return nil }
    self.count = count
  }

  var interval: Interval { Interval(nanoseconds: Int64(count) * 1000) }
}
