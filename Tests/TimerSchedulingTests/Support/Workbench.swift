import Foundation

// `.ci/fuzz` compiles this file into the library's own module.
#if !FUZZING
import TimerScheduling
#endif

/// Drives a timer's state machine by hand, with a scheduler and a consumer whose lateness the test chooses.
///
/// Time is in seconds from when the timer is made, on both clocks, which a test may set to different times.
final class Workbench {
  var now: ClockReading
  private let start: ClockReading
  private var machine: TimerStateMachine
  /// The cursor of each listener that is there; the first is there from the start.
  private var cursors = [TickCursor.start]
  private(set) var present: Set = [0]
  /// Whether an action is running for a tick that was taken.
  var isRunning = false {
    didSet { settle() }
  }

  /// The clocks show `now`: five seconds, and the reference date, unless a test sets them.
  init(
    _ schedule: TimerSchedule, tolerance: Duration = .zero, jitterSeed: UInt64 = 1,
    at now: ClockReading = Workbench.origin
  ) {
    start = now
    self.now = now
    let recurrence = Recurrence(
      schedule, defaultTolerance: Interval(tolerance), jitterSeed: jitterSeed,
      at: start.monotonic
    ) { now }
    machine = TimerStateMachine(recurrence, at: start)
    settle()
  }

  static var origin: ClockReading {
    ClockReading(monotonic: Deadline(nanoseconds: 5_000_000_000), wall: Deadline(date(0)))
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  func moveTime(to seconds: Double) {
    moveTime(by: start.monotonic + Interval(seconds: seconds) - now.monotonic)
  }

  func moveTime(by duration: Duration) { moveTime(by: Interval(duration)) }

  func moveTime(by interval: Interval) {
    let lead = now.wallLead
    now.monotonic = now.monotonic + interval
    now.wall = now.wall + interval
    // At the end of the clocks' range it may shrink.
    if now.wallLead != lead { now.setAfter = now.monotonic }
  }

  func setWallClock(by seconds: Double) {
    now.wall = now.wall + Interval(seconds: seconds)
    now.setAfter = now.monotonic
  }

  /// The deadline the timer is filed for, in seconds, or nil.
  var deadline: Double? {
    machine.filing.map { filing in
      let zero = filing.timeline == .wall ? start.wall : start.monotonic
      return Double((filing.deadline - zero).nanoseconds) / 1e9
    }
  }

  var filing: Filing? { machine.filing }
  var finishReason: ScheduledTimer.FinishReason? { machine.finishReason }
  var state: ScheduledTimer.State { machine.publicState }
  var remaining: Duration? { machine.remainingTime(at: now)?.duration }
  var nextDate: Date? { machine.nextDate(at: now) }
  var mustWait: Bool { mustWait(0) }

  func mustWait(_ listener: Int) -> Bool { machine.mustWait(cursors[listener]) }

  var countdown: (scale: CountdownScale, elapsed: Interval)? { machine.countdown(at: now) }

  /// The value that a countdown shows.
  var value: Duration? { countdown.map { scale, elapsed in scale.value(after: elapsed) } }

  /// The number of the newest value of a countdown that lies on a step.
  var step: Int64? { countdown.map { scale, elapsed in scale.step(after: elapsed) } }

  // MARK: Firing and taking

  @discardableResult
  func fire(awaited: Bool, at seconds: Double? = nil) -> Bool {
    if let seconds { moveTime(to: seconds) }
    defer { settle() }
    return machine.fire(at: now, isAwaited: awaited)
  }

  /// Adds a listener and returns its number.
  func join() -> Int {
    cursors.append(machine.join(isAlone: present.isEmpty, at: { self.now }))
    present.insert(cursors.count - 1)
    settle()
    return cursors.count - 1
  }

  func leave(_ listener: Int = 0) {
    present.remove(listener)
    if let first = present.min() { machine.listenerLeft(first: cursors[first]) }
    settle()
  }

  /// Takes a tick, asking rules where need be, or nil when there is none.
  func take(by listener: Int = 0, at seconds: Double? = nil) -> TimerTick? {
    if let seconds { moveTime(to: seconds) }
    while true {
      switch takeStep(by: listener) {
      case .tick(let tick): return tick
      case .wait, .finished: return nil
      case .ask(let question): accept(question.ask())
      }
    }
  }

  /// Lets a tick come while no listener waits, and then asks for it up to the rule's answer.
  func beginAsking(at seconds: Double) -> () -> Void {
    fire(awaited: false, at: seconds)
    return beginToTake()
  }

  /// Asks for a tick up to the question to the rule. Returns a closure that asks it and tells the timer the
  /// answer.
  func beginToTake() -> () -> Void {
    guard case .ask(let question) = takeStep(by: 0) else {
      preconditionFailure("The timer doesn't ask its rule.")
    }
    let answer = question.ask()
    return { [self] in accept(answer) }
  }

  /// Asks for a tick, up to a question to the rule.
  func takeStep(by listener: Int) -> TimerStateMachine.TakeResult {
    defer { settle() }
    return machine.take(&cursors[listener], at: { self.now })
  }

  func accept(_ answer: RuleQuestion.Answer) {
    machine.accept(answer, at: now)
    settle()
  }

  /// Handles a wall clock that was set back, as the scheduler does, with the rule asked at once.
  func wallClockSetBack() {
    if let question = noteSetBack() { accept(question.ask()) }
  }

  /// Handles a wall clock that was set back, up to a question to the rule.
  func noteSetBack() -> RuleQuestion? {
    machine.follow(now)
    return machine.asksRule ? machine.ask(at: { self.now }) : nil
  }

  /// Performs the steps that follow every change.
  private func settle() {
    while machine.asksRule, let question = machine.ask(at: { self.now }) {
      machine.accept(question.ask(), at: now)
    }
    if !isRunning { machine.completeIfOver(isOwed: present.contains { machine.owes(cursors[$0]) }) }
  }

  /// Moves to the deadline, or past it, fires with a consumer waiting, and takes the tick.
  func tick(late seconds: Double = 0) -> TimerTick? {
    guard let deadline else { return nil }
    fire(awaited: true, at: deadline + seconds)
    return take()
  }

  /// Takes the tick that waits or, where there is none, that of the next deadline when it has come.
  func nextTick() -> TimerTick? {
    if let tick = take() { return tick }
    guard let filing else { return nil }
    let wait = filing.deadline - now[filing.timeline]
    if wait > .zero { moveTime(by: wait) }
    fire(awaited: true)
    return take()
  }

  // MARK: Control

  func pause(at seconds: Double? = nil) {
    if let seconds { moveTime(to: seconds) }
    machine.pause(at: { self.now })
    settle()
  }

  func resume(_ behavior: ResumeBehavior = .keepingRemainingTime, at seconds: Double? = nil) {
    if let seconds { moveTime(to: seconds) }
    machine.resume(behavior, at: { self.now })
    settle()
  }

  func beginScope() {
    machine.pause(inScope: true, at: { self.now })
    settle()
  }

  func endScope() {
    machine.resume(.keepingRemainingTime, endingScope: true, at: { self.now })
    settle()
  }

  func fireByHand(at seconds: Double? = nil) {
    if let seconds { moveTime(to: seconds) }
    machine.fireByHand(at: { self.now })
    settle()
  }

  func reschedule(_ schedule: TimerSchedule, tolerance: Duration = .zero, jitterSeed: UInt64 = 1) {
    let recurrence = Recurrence(
      schedule, defaultTolerance: Interval(tolerance), jitterSeed: jitterSeed,
      at: now.monotonic
    ) { now }
    _ = machine.reschedule(recurrence, at: now)
    settle()
  }

  func finish(_ reason: ScheduledTimer.FinishReason) {
    machine.finish(reason, at: { self.now })
  }
}

extension TimerTick {
  /// The tick as a row of numbers in seconds, for tables.
  var row: Row {
    Row(
      due: scheduledDate.timeIntervalSinceReferenceDate, at: date.timeIntervalSinceReferenceDate,
      index: index, missed: missedCount)
  }

  struct Row: Equatable {
    var due: Double
    var at: Double
    var index: Int
    var missed: Int

    init(due: Double, at: Double? = nil, index: Int, missed: Int = 0) {
      self.due = due
      self.at = at ?? due
      self.index = index
      self.missed = missed
    }
  }
}
