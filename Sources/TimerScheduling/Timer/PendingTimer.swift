/// A timer that waits for its first deadline, and to which nothing has happened since it was made.
///
/// That is all that most timers of a server ever are: timeouts that are restarted or cancelled. So this is a
/// timer in a third of the memory. Whatever else happens unfolds it, as if it had been made in full.
///
/// Not for what few timers have: a start, a limit, a last date, jitter, or a rule.
struct PendingTimer: Sendable {
  enum Listening { case notYet, listening, left }

  private(set) var due: Deadline
  /// Zero for a timer with a single deadline.
  private let interval: Interval
  private let tolerance: Interval
  /// How many handles there are.
  var handleCount: Int32 = 0
  private let missedTicks: MissedTickBehavior
  private(set) var finishReason: ScheduledTimer.FinishReason?
  /// What the timer's first listener does.
  var listening = Listening.notYet

  /// Returns nil for a schedule that takes a timer in full.
  init?(_ schedule: TimerSchedule, defaultTolerance: Interval, at now: () -> Deadline) {
    let options = schedule.options
    guard options.limit == nil, options.until == nil, options.jitter == .zero else { return nil }
    switch schedule.cadence {
    case .once(let delay):
      interval = .zero
      due = now() + delay
      tolerance = TimerPlan.tolerance(options.tolerance ?? defaultTolerance, forInterval: nil)
    case .every(let interval, .afterInterval):
      self.interval = interval
      due = now() + interval
      tolerance = TimerPlan.tolerance(options.tolerance ?? defaultTolerance, forInterval: interval)
    case .every, .onceAt, .countdown, .rule:
      return nil
    }
    missedTicks = options.missedTicks
    // From one that has been clamped nothing can be counted back.
    guard due < .never else { return nil }
  }

  var wish: TimerRecord.Wish {
    guard finishReason == nil else { return .gone(holdsError: false) }
    return .filed(TimerRecord.Filing(timeline: .monotonic, deadline: due, latest: due + tolerance))
  }

  var isFinished: Bool { finishReason != nil }

  /// Ends the timer, unless it has ended. Returns whether it hadn't.
  mutating func finish(_ reason: ScheduledTimer.FinishReason) -> Bool {
    guard finishReason == nil else { return false }
    finishReason = reason
    return true
  }

  /// Takes the schedule of `other`, which was made just now.
  mutating func reschedule(as other: PendingTimer) {
    var other = other
    other.handleCount = handleCount
    other.listening = listening
    self = other
  }

  /// The same timer with everything a timer can have.
  func unfold(action: ActionSlot?) -> TimerGate {
    let timetable =
      interval == .zero ? Timetable(onceAt: due) : Timetable(every: interval, from: due - interval)
    let plan = TimerPlan(timetable, missedTicks: missedTicks, tolerance: tolerance)
    // Nothing of it depends on the clocks.
    let reading = ClockReading(monotonic: due, wall: due)
    var gate = TimerGate(machine: TimerStateMachine(plan, at: reading), action: action)
    switch listening {
    case .notYet: break
    case .listening:
      _ = gate.join { reading }
    case .left:
      _ = gate.join { reading }
      _ = gate.leave(.first)
    }
    gate.handleCount = handleCount
    if let finishReason { gate.machine.finish(finishReason) { reading } }
    return gate
  }
}
