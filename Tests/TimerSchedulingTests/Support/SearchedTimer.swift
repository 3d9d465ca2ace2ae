import Foundation
import TimerScheduling

/// A timer's state with what is around it: clocks, loops that ask for ticks, and a worker for the action.
///
/// After each event it does what a timer's entry does after a change, and checks what must hold.
final class SearchedTimer {
  enum Event: CaseIterable {
    case fireInTime, passTime, fire
    case ask, askAsOther, comeOrGo, leave, endRun
    case pause, resume, resumeInPhase, resumeAtOnce, beginOrEndScope
    case fireByHand, restart, once, every, burst, date, rule, cancel, setBack, notice
  }

  var machine: TimerStateMachine
  /// Stands for the timer's own stream.
  private let stream = Listener()
  var now = Workbench.origin
  /// Tasks to wait, which nothing resumes meanwhile: two for the first listener and one for the other.
  private let tasks: [WaitingTask]
  var waiting: [UInt: Listener] = [:]
  /// Listeners of which a task was woken and hasn't asked again.
  var awake: Set<ObjectIdentifier> = []
  let hasAction: Bool
  /// Whether the first listener isn't the timer's own, and every schedule has a limit. That is never reached,
  /// but needs the extras from the start.
  private let hasExtras: Bool
  var first: Listener?
  var other: Listener?
  var isPausedByCall = false
  var isInScope = false
  var end: TimerFinishReason?
  /// Whether the timer hadn't ended before the event.
  var hasJustEnded = false
  private var lastIndices: [ObjectIdentifier?: Int] = [:]
  /// The ticks and other results of the event.
  var results: [Result] = []
  var fault: String?

  enum Result: Equatable {
    case tick(TimerTick)
    case nothing, finished, fired, isRescheduled(Bool), woken(Int), began(UInt64)
  }

  init(_ schedule: TimerSchedule, hasAction: Bool, hasExtras: Bool, tasks: [WaitingTask]) {
    self.tasks = tasks
    self.hasAction = hasAction
    self.hasExtras = hasExtras
    let start = now
    let recurrence = Recurrence(
      hasExtras ? schedule.limit(.max - 1) : schedule, defaultTolerance: .zero, jitterSeed: 1,
      at: start.monotonic
    ) { start }
    let hasStream = !hasAction && !hasExtras
    machine = TimerStateMachine(
      recurrence, action: hasAction ? TimerAction { _ in } : nil, hasStream: hasStream, at: now)
    // A listener that joins at the start does what a stream does.
    if !hasAction { first = hasStream ? stream : join() }
  }

  // MARK: Events

  /// Whether the event can change anything.
  func isPossible(_ event: Event) -> Bool {
    switch event {
    case .ask: hasAction ? machine.isRunning : first != nil
    case .askAsOther: other != nil
    case .leave: first != nil
    case .endRun: machine.isRunning
    case .resume, .resumeInPhase, .resumeAtOnce: isPausedByCall && end == nil
    case .fire: machine.filing.map { $0.deadline <= now[$0.timeline] } ?? false
    case .fireInTime, .passTime, .comeOrGo, .pause, .beginOrEndScope, .fireByHand, .restart, .once, .every,
      .burst, .date, .rule, .cancel, .setBack, .notice:
      end == nil
    }
  }

  /// Performs an event, and then what follows every change.
  func perform(_ event: Event) {
    let old = machine.publicState
    results = []
    change(by: event)
    settle(since: old)
    if end != nil, end != machine.finishReason { fault = "was finished and isn't" }
    hasJustEnded = end == nil
    end = machine.finishReason
  }

  private func change(by event: Event) {
    switch event {
    case .fireInTime:
      if let filing = machine.filing { pass(max(filing.deadline - now[filing.timeline], .zero)) }
      fire()
    case .passTime: pass(Interval(seconds: 9))
    case .fire: fire()
    case .ask: if hasAction { takeForAction() } else { ask(first) }
    case .askAsOther: ask(other)
    case .comeOrGo: if other == nil { other = join() } else { leave(&other) }
    case .leave: leave(&first)
    case .endRun: if machine.isRunning { _ = machine.endRun() }
    case .pause:
      machine.pause(at: { self.now })
      isPausedByCall = true
    case .resume: resume(.keepingRemainingTime)
    case .resumeInPhase: resume(.keepingPhase)
    case .resumeAtOnce: resume(.immediately)
    case .beginOrEndScope:
      isInScope.toggle()
      if isInScope {
        machine.pause(inScope: true, at: { self.now })
      } else {
        machine.resume(.keepingRemainingTime, endingScope: true, at: { self.now })
      }
    case .fireByHand: machine.fireByHand(at: { self.now })
    case .restart: reschedule(.after(60))
    case .once: reschedule(.after(2))
    case .every: reschedule(.every(4))
    case .burst: reschedule(.every(4).missedTicks(.burst))
    case .date: reschedule(.at(Date(now.wall) + 3))
    case .rule: reschedule(.rule(EverySeconds(5)))
    case .cancel: machine.finish(.cancelled, at: { self.now })
    case .setBack:
      now.wall = now.wall - Interval(seconds: 100)
      now.setAfter = now.monotonic
    case .notice: machine.follow(now)
    }
    while machine.asksRule, let question = machine.ask(at: { self.now }) {
      ask(question)
    }
  }

  private func pass(_ time: Interval) {
    now.monotonic = now.monotonic + time
    now.wall = now.wall + time
  }

  private func fire() {
    let filing = machine.filing
    guard machine.fire(at: now, isAwaited: machine.isAwaited) else { return }
    results.append(.fired)
    if filing.map({ $0.deadline > now[$0.timeline] }) ?? true { fault = "fires early" }
    if let next = machine.filing, next.deadline <= now[next.timeline] { fault = "fires again at once" }
  }

  private func resume(_ behavior: ResumeBehavior) {
    machine.resume(behavior, at: { self.now })
    isPausedByCall = false
  }

  private func reschedule(_ schedule: TimerSchedule) {
    let isRescheduled = machine.finishReason == nil
    results.append(.isRescheduled(isRescheduled))
    let schedule = hasExtras ? schedule.limit(.max - 1) : schedule
    if case .once(let delay) = schedule.cadence,
      machine.postpone(by: delay, schedule.options, defaultTolerance: .zero, at: now.monotonic)
    {
      return
    }
    let recurrence = Recurrence(schedule, jitterSeed: 1, at: now.monotonic) { now }
    _ = machine.reschedule(recurrence, at: now)
  }

  // MARK: Listeners

  private func join() -> Listener {
    let listener = Listener()
    while let question = machine.join(listener, at: { self.now }) {
      ask(question)
    }
    return listener
  }

  /// The listener for the machine, which knows the stream as nil.
  func joined(_ listener: Listener) -> Listener? { listener === stream ? nil : listener }

  private func leave(_ place: inout Listener?) {
    guard let listener = place.take() else { return }
    var left = machine.leave(joined(listener)) ?? SmallList()
    for task in left.takeAll() {
      if waiting.removeValue(forKey: task.id) !== listener { fault = "a listener leaves with another's task" }
    }
    if waiting.values.contains(where: { $0 === listener }) {
      fault = "a task waits for a listener that has left"
    }
  }

  /// Asks for a tick as a loop does: takes it, or waits.
  private func ask(_ listener: Listener?) {
    guard let listener, let task = task(of: listener) else { return }
    awake.remove(ObjectIdentifier(listener))
    while true {
      let mayTake = machine.canTake(joined(listener))
      switch machine.take(joined(listener), at: { self.now }) {
      case .tick(let tick):
        if !mayTake { fault = "gives a tick that it hasn't" }
        return note(tick, for: listener)
      case .ask(let question): ask(question)
      case .wait:
        results.append(.nothing)
        // The task asks again if it needn't wait, which must then give a tick.
        if machine.wait(task, as: joined(listener)) {
          waiting[task.id] = listener
        } else if !mayTake {
          fault = "asks for ever"
        }
        return
      case .finished:
        if machine.finishReason == nil { fault = "says that it has finished" }
        results.append(.finished)
        return
      }
    }
  }

  /// A task of the listener that doesn't wait, if it has another one.
  private func task(of listener: Listener) -> WaitingTask? {
    tasks[listener === first ? 0..<2 : 2..<3].first { waiting[$0.id] == nil }
  }

  private func takeForAction() {
    guard machine.isRunning else { return }
    while true {
      switch machine.take(nil, at: { self.now }) {
      case .tick(let tick): return note(tick, for: nil)
      case .ask(let question): ask(question)
      case .wait, .finished: return results.append(.nothing)
      }
    }
  }

  private func ask(_ question: RuleQuestion) {
    machine.accept(question.ask(), at: now)
  }

  private func note(_ tick: TimerTick, for listener: Listener?) {
    let listener = listener.map { ObjectIdentifier($0) }
    results.append(.tick(tick))
    if tick.index <= lastIndices[listener] ?? -1 { fault = "numbers \(tick) twice" }
    if tick.lateness < .zero || tick.missedCount < 0 || tick.scheduledDate > tick.date {
      fault = "gives \(tick)"
    }
    lastIndices[listener] = tick.index
  }
}

extension WaitingTask {
  /// Distinguishes the task from others that wait. A continuation is one word, the task's own.
  var id: UInt { unsafe unsafeBitCast(self, to: UInt.self) }
}
