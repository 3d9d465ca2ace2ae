import TestSupport
import TimerScheduling

/// A timer, and the facts that follow from the operations on it.
struct TimerInspector {
  private struct Listener {
    var lastIndex = -1
    /// The greatest number of ticks that may still come.
    var mostTicks: Int
  }

  private let bench: Workbench
  private let hasOther: Bool
  /// All listeners that have joined. The last is the other, if there is one.
  private var listeners: [Listener]
  /// The greatest number of the schedule's ticks that a listener may get.
  private var mostTicks: Int
  private var mayFilePast: Bool
  private var isPausedByCall = false
  private var scopeCount = 0
  private var wasEnded = false
  private var end: ScheduledTimer.FinishReason?
  /// The state before the last event.
  private var filing: TimerStateMachine.Filing?
  private var value: Duration?
  /// The fault of the last event.
  private var fault: String?

  init(_ timer: EnumeratedSchedule) {
    bench = Workbench(timer.schedule)
    hasOther = timer.hasOther
    listeners = [Listener(mostTicks: timer.mostTicks)]
    mostTicks = timer.mostTicks
    mayFilePast = timer.mayFilePast
    if hasOther { comeOrGo() }
  }

  // MARK: Events

  /// Returns the fault after an event, if this state hasn't been checked before.
  mutating func mismatch(after event: ControlEvent, isNew: Bool) -> String? {
    filing = bench.filing
    value = bench.value
    perform(event)
    return isNew ? mismatch() : nil
  }

  private mutating func perform(_ event: ControlEvent) {
    switch event {
    case .advance: bench.moveTime(by: .seconds(17.5))
    case .fireAwaited: fire(awaited: true)
    case .fireUnawaited: fire(awaited: false)
    case .take: if bench.present.contains(0) { take(by: 0) }
    case .takeByOther: if let other { take(by: other) }
    case .otherComesOrGoes: comeOrGo()
    case .firstGoes: if bench.present.contains(0) { bench.leave(0) }
    case .pause:
      bench.pause()
      isPausedByCall = true
    case .resume: resume(.keepingRemainingTime)
    case .resumeInPhase: resume(.keepingPhase)
    case .resumeAtOnce: resume(.immediately)
    case .beginScope:
      bench.beginScope()
      scopeCount += 1
    case .endScope:
      // No scope can end that wasn't begun.
      guard scopeCount > 0 else { return }
      bench.endScope()
      scopeCount -= 1
    case .fireByHand: bench.fireByHand()
    case .reschedule: reschedule()
    case .finish:
      bench.finish(.cancelled)
      wasEnded = true
      if bench.finishReason == nil { fault = "isn't finished" }
    case .setBack:
      bench.setWallClock(by: -3600)
      bench.wallClockSetBack()
    case .runActionOrReturn: bench.isRunning.toggle()
    }
  }

  private var other: Int? {
    let last = listeners.count - 1
    return last > 0 && bench.present.contains(last) ? last : nil
  }

  private mutating func comeOrGo() {
    if let other {
      bench.leave(other)
    } else {
      _ = bench.join()
      listeners.append(Listener(mostTicks: mostTicks))
    }
  }

  /// Whether every listener waits, and there is one.
  private var areAllWaiting: Bool {
    !bench.present.isEmpty && bench.present.allSatisfy { bench.mustWait($0) }
  }

  /// Comes to the deadline, if there is one to come, and fires.
  private mutating func fire(awaited: Bool) {
    if let filing = bench.filing {
      let wait = filing.deadline - bench.now[filing.timeline]
      if wait > .zero { bench.moveTime(by: wait.duration) }
    }
    let isDue = bench.filing != nil
    let action = bench.fire(awaited: awaited)
    switch action {
    case .none: break
    case .wakeListeners:
      if !isDue { fault = "fires undue" }
      if areAllWaiting { fault = "wakes listeners for nothing" }
    }
  }

  private mutating func take(by number: Int) {
    let hadToWait = bench.mustWait(number)
    // A timer that has completed isn't paused, and other listeners take the ticks that they are owed.
    let wasPaused = isPaused && bench.finishReason == nil
    let wasOver = hasOther ? wasEnded : bench.finishReason != nil
    guard let tick = bench.take(by: number) else {
      // The listener would ask again and again.
      if bench.finishReason == nil, !bench.mustWait(number) { fault = "has nothing, and says so at once" }
      return
    }
    if hadToWait || wasPaused || wasOver { fault = "gives a tick it can't" }
    let step = tick.index - listeners[number].lastIndex
    // A single listener gets all numbered ticks.
    if hasOther ? step < 1 : step != 1 { fault = "numbers a tick with \(tick.index)" }
    if tick.missedCount < 0 || tick.lateness < .zero { fault = "gives \(tick)" }
    listeners[number].lastIndex = tick.index
    listeners[number].mostTicks -= 1
    if listeners[number].mostTicks < 0 { fault = "ticks too often" }
  }

  private mutating func resume(_ behavior: ResumeBehavior) {
    bench.resume(behavior)
    isPausedByCall = false
  }

  private mutating func reschedule() {
    let isTakenUp = bench.finishReason == nil && bench.value == nil
    bench.reschedule(.every(10).limit(2))
    guard isTakenUp else { return }
    mostTicks = 2
    for number in listeners.indices { listeners[number].mostTicks = 2 }
    mayFilePast = false
  }

  // MARK: What must hold

  private var isPaused: Bool { isPausedByCall || scopeCount > 0 }

  private mutating func mismatch() -> String? {
    if let fault { return fault }
    if let end, bench.finishReason != end { return "was finished and now isn't" }
    end = bench.finishReason
    return mismatchInState() ?? mismatchInFiling() ?? mismatchInValue()
  }

  /// Fires the timer and lets its listeners take their ticks, until it must have come to its end.
  ///
  /// Returns the fault if it hasn't.
  mutating func mismatchInTheLongRun() -> String? {
    guard hasOther, !bench.present.isEmpty else { return nil }
    while scopeCount > 0 { perform(.endScope) }
    perform(.resumeInPhase)
    bench.isRunning = false
    for _ in 0..<4 where bench.finishReason == nil {
      fire(awaited: true)
      for listener in bench.present {
        while bench.take(by: listener) != nil {}
      }
    }
    return bench.finishReason == nil ? "doesn't come to its limit" : nil
  }

  private func mismatchInState() -> String? {
    let areWaiting = bench.present.map { bench.mustWait($0) }
    if let end {
      if bench.state != .finished(end) { return "is \(bench.state) at the end" }
      if bench.filing != nil || bench.remaining != nil { return "has a deadline at the end" }
      return areWaiting.contains(true) ? "lets a listener wait at the end" : nil
    }
    if bench.state != (isPaused ? .paused : .scheduled) { return "is \(bench.state)" }
    if isPaused {
      if bench.filing != nil { return "has a deadline while paused" }
      return areWaiting.contains(false) ? "doesn't let a listener wait while paused" : nil
    }
    // No event would ever wake them.
    let isStuck = bench.filing == nil && areAllWaiting && !bench.isRunning
    return isStuck ? "lets its listeners wait for ever" : nil
  }

  private func mismatchInFiling() -> String? {
    guard let filing = bench.filing else { return nil }
    let wait = filing.deadline - bench.now[filing.timeline]
    if filing != self.filing, !mayFilePast, wait < .zero { return "files a deadline that has passed" }
    if filing.latest < filing.deadline { return "files a deadline later than its latest" }
    return nil
  }

  /// A countdown counts down, and stands still while it is paused.
  private func mismatchInValue() -> String? {
    guard let value = bench.value, let before = self.value else { return nil }
    if value > before { return "counts up" }
    return value < .zero ? "counts beyond its end" : nil
  }
}
