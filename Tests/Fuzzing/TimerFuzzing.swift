import Foundation

/// Checks that after any operations on a timer, none of its numbers overflows and its promises hold.
func fuzzTimers(_ input: inout FuzzInput) {
  let run = TimerRun(&input)
  while !input.isEmpty { run.step(&input) }
}

/// A timer with up to three listeners, a scheduler as late as the fuzzer wants, and clocks that are set.
private final class TimerRun {
  private struct Listener {
    var cursor: TickCursor
    var lastIndex = -1
  }

  private var machine: TimerStateMachine
  private var clock: FuzzClock
  private var listeners: [Listener?] = [Listener(cursor: .start)]
  /// Whether there is still only the listener from the start.
  private var isAlone = true
  private var isRunning = false
  private var scopeCount = 0
  private var isPausedByCall = false
  private var until: Deadline?
  /// The greatest number of ticks that may still come.
  private var mostTicks: Int
  /// The question that a rule was asked and hasn't answered.
  private var pending: (answer: RuleQuery.Answer, inquiry: UInt64)?
  private var end: ScheduledTimer.FinishReason?

  init(_ input: inout FuzzInput) {
    clock = FuzzClock(&input)
    let schedule = input.schedule()
    until = schedule.options.until
    mostTicks = schedule.options.limit ?? .max
    trace("\(schedule) at \(clock.now)")
    machine = TimerStateMachine(Self.plan(schedule, &input, at: clock.now), at: clock.now)
    settle()
  }

  private static func plan(_ schedule: TimerSchedule, _ input: inout FuzzInput, at now: ClockReading)
    -> BoundSchedule
  {
    BoundSchedule(
      schedule, defaultTolerance: Interval(nanoseconds: input.magnitude()), jitterSeed: input.bits(), at: now)
  }

  // MARK: Events

  func step(_ input: inout FuzzInput) {
    let now = clock.now
    let event = input.number(below: 20)
    trace("event \(event) at \(now), filed as \(machine.filing as Any)")
    switch event {
    case 0: clock.advance(by: Interval(nanoseconds: input.magnitude()))
    case 1: if clock.setWall(to: input.deadline()) { noteSetBack() }
    case 2: fire()
    case 3...5:
      if let filing = machine.filing { clock.advance(to: filing.deadline, on: filing.timeline) }
      fire()
    case 6...9: take(by: input.number(below: listeners.count), answersLater: input.number(below: 4) == 0)
    case 10: answer()
    case 11: comeOrGo(input.number(below: 3))
    case 12:
      machine.pause { now }
      isPausedByCall = true
    case 13, 14:
      machine.resume([.keepingRemainingTime, .keepingPhase, .immediately][input.number(below: 3)]) { now }
      isPausedByCall = false
    case 15:
      machine.beginPausingScope { now }
      scopeCount += 1
    case 16:
      guard scopeCount > 0 else { return }
      machine.endPausingScope { now }
      scopeCount -= 1
    case 17: machine.fireByHand { now }
    case 18: if input.number(below: 4) == 0 { reschedule(&input) } else { isRunning.toggle() }
    default:
      guard input.number(below: 8) == 0 else { return }
      machine.finish(.cancelled) { now }
      require(machine.isFinished, "A timer that was cancelled isn't finished")
    }
    settle()
    check()
  }

  private func fire() {
    let before = machine.filing
    let areAllWaiting = areAllWaiting
    let action = machine.fire(at: clock.now, isAwaited: areAllWaiting)
    settle()
    if let filing = machine.filing {
      // The scheduler would spin.
      require(filing.deadline > clock.now[filing.timeline], "Is filed as \(filing), which has come")
    }
    guard action == .wakeListeners, clock.isOrdinary else { return }
    require(before.map { $0.deadline <= clock.now[$0.timeline] } ?? false, "Fires early")
    require(!self.areAllWaiting || listeners.allSatisfy { $0 == nil }, "Wakes listeners for nothing")
    // The scheduler would spin.
    require(machine.fire(at: clock.now, isAwaited: true) == .none, "Fires twice at one moment")
  }

  private func take(by number: Int, answersLater: Bool) {
    guard var listener = listeners[number] else { return }
    let now = clock.now
    let mustWait = machine.mustWait(listener.cursor)
    let wasOver = machine.publicState == .paused || machine.publicState == .finished(.cancelled)
    for attempt in 0... {
      require(attempt < 3, "Asks its rule again and again")
      switch machine.take(&listener.cursor, at: { now }) {
      case .tick(let tick, _):
        require(!mustWait && !wasOver, "Gives a tick it can't")
        check(tick, after: listener.lastIndex)
        listener.lastIndex = tick.index
      case .consult(let query, let inquiry):
        pending = (query.ask(), inquiry)
        if !answersLater {
          answer()
          continue
        }
      case .wait:
        settle()
        require(machine.mustWait(listener.cursor) || machine.isFinished, "Has nothing, and says so at once")
      case .finished:
        require(machine.isFinished, "Says that it has finished")
      }
      break
    }
    listeners[number] = listener
  }

  private func answer() {
    guard let (answer, inquiry) = pending.take() else { return }
    machine.adopt(answer, to: inquiry, at: clock.now)
    settle()
  }

  private func noteSetBack() {
    switch machine.wallClockSetBack(at: clock.now) {
    case .none: break
    case .consult:
      if let (query, inquiry) = machine.consultAnew(at: clock.now) { pending = (query.ask(), inquiry) }
    }
  }

  private func comeOrGo(_ number: Int) {
    isAlone = false
    let now = clock.now
    if number < listeners.count, listeners[number] != nil {
      listeners[number] = nil
      if let slowest = listeners.compactMap({ $0?.cursor }).min() { machine.listenerLeft(slowest: slowest) }
    } else {
      let cursor = machine.join(isAlone: listeners.allSatisfy { $0 == nil }) { now }
      if number < listeners.count {
        listeners[number] = Listener(cursor: cursor)
      } else {
        listeners.append(Listener(cursor: cursor))
      }
    }
  }

  private func reschedule(_ input: inout FuzzInput) {
    let schedule = input.schedule()
    trace("reschedules to \(schedule)")
    let plan = Self.plan(schedule, &input, at: clock.now)
    guard !machine.isFinished, machine.countdown(at: clock.now) == nil else { return }
    _ = machine.reschedule(plan, at: clock.now)
    until = nil
    mostTicks = .max
  }

  /// Performs the steps that follow every change.
  private func settle() {
    var isOwed = false
    for listener in listeners { if let listener, machine.owes(listener.cursor) { isOwed = true } }
    machine.completeIfOver(isOwed: isOwed, isRunning: isRunning)
  }

  // MARK: What must hold

  private var isPaused: Bool { isPausedByCall || scopeCount > 0 }

  private var areAllWaiting: Bool {
    for listener in listeners { if let listener, !machine.mustWait(listener.cursor) { return false } }
    return true
  }

  private func check(_ tick: TimerTick, after lastIndex: Int) {
    guard clock.isOrdinary else { return }
    require(
      isAlone ? tick.index == lastIndex + 1 : tick.index > lastIndex, "\(tick) is numbered after \(lastIndex)"
    )
    require(tick.index < mostTicks, "\(tick) is beyond the limit")
    require(tick.missedCount >= 0 && tick.lateness >= .zero, "\(tick) is before its time")
    let (due, date) = (tick.scheduledDate, tick.date)
    require(due <= date, "\(tick) fired before it was due")
    guard clock.isSteady else { return }
    // As dates: a Double may have no room for the nanoseconds.
    require(date <= Date(clock.now.wall), "\(tick) comes before its time, at \(clock.now)")
    // A date that passed centuries ago comes as one that passed 292 years ago.
    if let until, until.nanoseconds > 0 { require(due <= Date(until), "\(tick) comes after \(until)") }
  }

  private func check() {
    let now = clock.now
    if let end { require(machine.finishReason == end, "Was finished and now isn't") }
    end = machine.finishReason
    if let end {
      require(machine.publicState == .finished(end) && machine.filing == nil, "Has a deadline at the end")
    } else {
      require(machine.publicState == (isPaused ? .paused : .scheduled), "Is \(machine.publicState)")
      require(!isPaused || machine.filing == nil, "Has a deadline while it is paused")
      let hasListener = !listeners.allSatisfy { $0 == nil }
      if clock.isOrdinary, !isPaused, hasListener, areAllWaiting, machine.filing == nil, pending == nil,
        !isRunning
      {
        // A deadline beyond the clock's range isn't filed.
        require(machine.remainingTime(at: now) == .max, "Lets its listeners wait for ever")
      }
    }
    if let filing = machine.filing { require(filing.deadline <= filing.latest, "Is filed as \(filing)") }
    if let remaining = machine.remainingTime(at: now) { require(remaining >= .zero, "\(remaining) remains") }
    if let date = machine.nextDate(at: now) {
      require(!isPaused && date >= Date(now.wall), "Is due at \(date)")
    }
    if let (scale, elapsed) = machine.countdown(at: now) {
      let values = min(scale.start, scale.end)...max(scale.start, scale.end)
      require(values.contains(scale.value(after: elapsed)), "Counts beyond its ends")
    }
  }
}
