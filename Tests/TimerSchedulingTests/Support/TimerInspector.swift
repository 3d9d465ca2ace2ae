import Foundation

// `.ci/fuzz` compiles this file into the library's own module.
#if !FUZZING
import TimerScheduling
#endif

/// A timer under any sequence of events, and the first promise that it breaks.
///
/// A test performs every sequence of a few events, and `.ci/fuzz` any number of random ones.
struct TimerInspector {
  private struct Listener {
    var lastIndex = -1
    /// The greatest number of ticks that may still come.
    var mostTicks: Int
  }

  let bench: Workbench
  /// All listeners that have joined, by the numbers that the bench gives them.
  private var listeners: [Listener]
  /// The greatest number of the schedule's ticks that a listener may get.
  private var mostTicks: Int
  /// The least index that no tick may have.
  private var indexLimit: Int
  private var until: Date?
  private var mayFilePast: Bool
  private var isPausedByCall = false
  private(set) var scopeCount = 0
  /// The reason of the end, and the time that a countdown has counted, before the event.
  private var end: ScheduledTimer.FinishReason?
  private var elapsed: Interval?
  /// The rule's answer that the timer hasn't been told yet.
  private var pending: RuleQuestion.Answer?
  private var fault: String?

  /// Whether the clocks stay where nothing saturates.
  var isOrdinary = true
  /// Whether the wall clock has only gone forward, as the monotonic one has.
  var isSteady = true

  /// - Parameters:
  ///   - mostTicks: The greatest number of ticks.
  ///   - until: The date after which no deadline may lie.
  ///   - mayFilePast: Whether the timer may be filed for a deadline that has come.
  init(_ bench: Workbench, mostTicks: Int, until: Date? = nil, mayFilePast: Bool) {
    self.bench = bench
    self.mostTicks = mostTicks
    self.until = until
    self.mayFilePast = mayFilePast
    indexLimit = mostTicks
    listeners = [Listener(mostTicks: mostTicks)]
  }

  /// Performs an event, and returns the promise that is broken after it.
  ///
  /// - Parameter isNew: Whether this sequence of events hasn't been checked yet. Others are only performed.
  mutating func mismatch(isNew: Bool = true, after event: (inout Self) -> Void) -> String? {
    let filing = bench.filing
    event(&self)
    defer { (end, elapsed) = (bench.finishReason, bench.countdown?.elapsed) }
    return isNew ? fault ?? mismatch(since: filing) : nil
  }

  // MARK: Events

  var isPaused: Bool { isPausedByCall || scopeCount > 0 }

  /// Whether every listener waits, and there is one.
  var areAllWaiting: Bool {
    !bench.present.isEmpty && bench.present.allSatisfy { bench.mustWait($0) }
  }

  mutating func fire(awaited: Bool) {
    let isDue = bench.filing.map { $0.deadline <= bench.now[$0.timeline] } ?? false
    let hasFired = bench.fire(awaited: awaited)
    if let filing = bench.filing, filing.deadline <= bench.now[filing.timeline] {
      fault = "is filed as \(filing), which has come"
    }
    guard hasFired, isOrdinary else { return }
    if !isDue { fault = "fires early" }
    if areAllWaiting { fault = "wakes listeners for nothing" }
    // The scheduler would spin.
    if bench.fire(awaited: true) { fault = "fires twice at one moment" }
  }

  mutating func join() {
    _ = bench.join()
    listeners.append(Listener(mostTicks: mostTicks))
  }

  mutating func take(by number: Int, answersLater: Bool = false) {
    let hadToWait = bench.mustWait(number)
    let wasPaused = bench.state == .paused
    // Other listeners of a timer that has completed take the ticks that they are owed.
    let wasOver = isAlone ? bench.finishReason != nil : bench.finishReason == .cancelled
    for _ in 0..<3 {
      switch bench.takeStep(by: number) {
      case .tick(let tick):
        if hadToWait || wasPaused || wasOver { fault = "gives a tick it can't" }
        fault = fault ?? mismatch(in: tick, for: number)
        return
      case .ask(let question):
        pending = question.ask()
        if answersLater { return }
        answer()
      case .wait:
        // The listener would ask again and again.
        if bench.finishReason == nil, !bench.mustWait(number) { fault = "has nothing, and says so at once" }
        return
      case .finished:
        if bench.finishReason == nil { fault = "says that it has finished" }
        return
      }
    }
    fault = "asks its rule again and again"
  }

  /// Tells the timer the answer of its rule.
  mutating func answer() {
    if let answer = pending.take() { bench.accept(answer) }
  }

  mutating func noteSetBack() {
    isSteady = false
    if let question = bench.noteSetBack() { pending = question.ask() }
  }

  mutating func pause() {
    bench.pause()
    isPausedByCall = true
  }

  mutating func resume(_ behavior: ResumeBehavior) {
    bench.resume(behavior)
    isPausedByCall = false
  }

  mutating func beginScope() {
    bench.beginScope()
    scopeCount += 1
  }

  /// Ends a scope, unless there is none.
  mutating func endScope() {
    guard scopeCount > 0 else { return }
    bench.endScope()
    scopeCount -= 1
  }

  /// Gives the timer another schedule, unless it is a countdown's.
  mutating func reschedule(
    _ schedule: TimerSchedule, tolerance: Duration = .zero, jitterSeed: UInt64 = 1, mostTicks: Int,
    until: Date? = nil, mayFilePast: Bool = false
  ) {
    guard bench.finishReason == nil, bench.countdown == nil else { return }
    bench.reschedule(schedule, tolerance: tolerance, jitterSeed: jitterSeed)
    self.mayFilePast = mayFilePast
    self.mostTicks = mostTicks
    self.until = until
    indexLimit = .max
    for number in listeners.indices { listeners[number].mostTicks = mostTicks }
  }

  mutating func cancel() {
    bench.finish(.cancelled)
    if bench.finishReason == nil { fault = "isn't finished" }
  }

  // MARK: What must hold

  /// Whether there has been only the listener from the start. It gets all numbered ticks.
  private var isAlone: Bool { listeners.count == 1 && bench.present == [0] }

  private mutating func mismatch(in tick: TimerTick, for number: Int) -> String? {
    let last = listeners[number].lastIndex
    listeners[number].lastIndex = tick.index
    listeners[number].mostTicks -= 1
    guard isOrdinary else { return nil }
    if isAlone ? tick.index != last + 1 : tick.index <= last { return "numbers \(tick) after \(last)" }
    if listeners[number].mostTicks < 0 || tick.index >= indexLimit { return "ticks too often" }
    if tick.missedCount < 0 || tick.lateness < .zero || tick.scheduledDate > tick.date {
      return "gives \(tick)"
    }
    guard isSteady else { return nil }
    // As dates: a Double may have no room for the nanoseconds.
    if tick.date > Date(bench.now.wall) { return "gives \(tick) at \(bench.now)" }
    // A date that passed centuries ago comes as one that passed 292 years ago.
    if let until, Deadline(until).nanoseconds > 0, tick.scheduledDate > until {
      return "gives \(tick) after \(until)"
    }
    return nil
  }

  private func mismatch(since filing: Filing?) -> String? {
    if let end, bench.finishReason != end { return "was finished and now isn't" }
    return mismatchInState() ?? mismatchInFiling(since: filing) ?? mismatchInDates() ?? mismatchInValue()
  }

  private func mismatchInState() -> String? {
    let areWaiting = bench.present.map { bench.mustWait($0) }
    if let end = bench.finishReason {
      if bench.state != .finished(end) { return "is \(bench.state) at the end" }
      if bench.filing != nil || bench.remaining != nil { return "has a deadline at the end" }
      return areWaiting.contains(true) ? "lets a listener wait at the end" : nil
    }
    if bench.state != (isPaused ? .paused : .scheduled) { return "is \(bench.state)" }
    if isPaused {
      if bench.filing != nil { return "has a deadline while paused" }
      return areWaiting.contains(false) ? "doesn't let a listener wait while paused" : nil
    }
    // No event would ever wake them. A deadline beyond the clock's range isn't filed.
    let isStuck = bench.filing == nil && areAllWaiting && !bench.isRunning && pending == nil
    return isStuck && isOrdinary && bench.remaining != Interval.max.duration
      ? "lets its listeners wait for ever" : nil
  }

  private func mismatchInFiling(since before: Filing?) -> String? {
    guard let filing = bench.filing else { return nil }
    if filing.latest < filing.deadline { return "files a deadline later than its latest" }
    let hasPassed = filing.deadline < bench.now[filing.timeline]
    return hasPassed && filing != before && !mayFilePast ? "files a deadline that has passed" : nil
  }

  private func mismatchInDates() -> String? {
    if let remaining = bench.remaining, remaining < .zero { return "has \(remaining) left" }
    guard let date = bench.nextDate else { return nil }
    return isPaused || date < Date(bench.now.wall) ? "is due at \(date)" : nil
  }

  /// A countdown counts from its start to its end, and stands still while it is paused.
  private func mismatchInValue() -> String? {
    guard let (scale, elapsed) = bench.countdown else { return nil }
    let values = min(scale.start, scale.end)...max(scale.start, scale.end)
    if !values.contains(scale.value(after: elapsed)) { return "counts beyond its ends" }
    return isOrdinary && elapsed < self.elapsed ?? elapsed ? "counts back" : nil
  }
}
