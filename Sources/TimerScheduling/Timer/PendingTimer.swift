/// A timer that waits for its first deadline, and to which nothing has happened since it was made.
///
/// That is all that most timers of a server ever are: timeouts that are restarted or cancelled. So this is a
/// timer in a third of the memory. Whatever else happens unfolds it, as if it had been made in full.
///
/// Not for what few timers have: a start, a limit, a last date, jitter, or a rule. Every word counts here: a record
/// of up to 120 bytes is freed without a lock by the GNU C library, whose allocator is else what threads wait for.
struct PendingTimer: Sendable {
  enum Listening { case notYet, listening, left }

  let due: Deadline
  /// Zero for a timer with a single deadline.
  private let interval: Interval
  private let tolerance: Microseconds
  private let missedTicks: MissedTickBehavior
  private(set) var finishReason: ScheduledTimer.FinishReason?
  /// What the timer's first listener does.
  var listening = Listening.notYet
  /// How many handles there are.
  var handleCount: UInt8 = 0

  /// Returns nil for a schedule that takes a timer in full.
  init?(_ schedule: TimerSchedule, defaultTolerance: Interval, at now: () -> Deadline) {
    let options = schedule.options
    guard options.limit == nil, options.until == nil, options.jitter == .zero else { return nil }
    let first: Interval
    switch schedule.cadence {
    case .once(let delay):
      first = delay
      interval = .zero
    case .every(let interval, .afterInterval):
      first = interval
      self.interval = interval
    case .every, .onceAt, .countdown, .rule:
      return nil
    }
    let tolerance = TimerPlan.tolerance(
      options.tolerance ?? defaultTolerance, forInterval: interval == .zero ? nil : interval)
    guard let tolerance = Microseconds(tolerance) else { return nil }
    self.tolerance = tolerance
    missedTicks = options.missedTicks
    due = now() + first
    // From one that has been clamped nothing can be counted back.
    guard due < .never else { return nil }
  }

  var wish: TimerRecord.Wish {
    guard finishReason == nil else { return .gone(holdsError: false) }
    return .filed(TimerRecord.Filing(timeline: .monotonic, deadline: due, latest: due + tolerance.interval))
  }

  var isFinished: Bool { finishReason != nil }

  /// Ends the timer, unless it has ended. Returns whether it hadn't.
  mutating func finish(_ reason: ScheduledTimer.FinishReason) -> Bool {
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
      isOnce ? Timetable(onceAt: due) : Timetable(every: interval, from: due - interval)
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

  private var isOnce: Bool { interval == .zero }

  // MARK: Firing

  /// Whether there is anything to fire for at this moment.
  func isDue(at reading: ClockReading) -> Bool { !isFinished && due <= reading.monotonic }

  /// A timer of one tick that has fired, whose listener has yet to ask for it.
  struct Fired {
    let reading: ClockReading
    fileprivate let due: Deadline
    fileprivate let handleCount: UInt8

    func unfold() -> TimerGate {
      var gate = PendingTimer(self).unfold(action: nil)
      _ = gate.machine.fire(at: reading, isAwaited: false)
      return gate
    }
  }

  /// Returns nil if it takes more to fire the timer.
  func fired(at reading: ClockReading) -> Fired? {
    guard isOnce, listening == .listening else { return nil }
    return Fired(reading: reading, due: due, handleCount: handleCount)
  }

  private init(_ fired: Fired) {
    due = fired.due
    interval = .zero
    tolerance = .zero
    missedTicks = .skip
    listening = .listening
    handleCount = fired.handleCount
  }
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
