import TimerScheduling

/// A timer that keeps every deadline it owes in a list.
///
/// By definition:
/// - A tick by hand, or at once on a resumption, counts as a deadline of that moment.
/// - Deadlines that come before a pause have passed, whether or not the timer was fired for them; those that
///   would have come in it never were.
/// - While a tick waits that came without a waiting listener, no deadline is filed. After a pause one is.
/// - A delayed cadence begins anew from a tick before which deadlines were missed: when it fires if a listener
///   waits for it, else when it is taken. Ticks by hand don't count for that.
/// - In a burst, ticks that are owed carry the dates of deadlines at even spacing before the newest.
/// - The index goes on over a new schedule, of which the limit counts.
struct NaiveControlledTimer {
  struct Plan {
    var interval: Double
    var behavior: MissedTickBehavior
    var limit: Int
  }

  private var plan: Plan
  private var owed: [Double] = []
  /// Whether a deadline has passed since the last tick that was taken.
  private var hasUntakenDeadline = false
  /// Whether one of two deadlines was missed since the cadence began.
  private var isLate = false
  private var next: Double
  private var isFiled = true
  /// The moment at which the pause began.
  private var since: Double?
  private var isPausedByCall = false
  private var scopeCount = 0
  private var index = 0
  private var lastIndex: Int
  private(set) var isFinished = false

  init(_ plan: Plan, at now: Double) {
    self.plan = plan
    next = now + plan.interval
    lastIndex = plan.limit
  }

  var deadline: Double? { isFiled && since == nil && !isFinished ? next : nil }
  var hasTick: Bool { !owed.isEmpty }
  var state: ScheduledTimer.State {
    isFinished ? .finished(.completed) : since == nil ? .scheduled : .paused
  }

  func remaining(at now: Double) -> Double? {
    if isFinished { return nil }
    if let since { return next - since }
    var next = next
    while !isFiled, next <= now { next += plan.interval }
    return max(next - now, 0)
  }

  // MARK: Firing and taking

  mutating func fire(at now: Double, awaited: Bool) {
    guard let deadline, deadline <= now else { return }
    pass(until: now)
    isFiled = awaited
    if awaited { delay(from: now) }
  }

  mutating func take(at now: Double) -> (due: Double, index: Int, missed: Int)? {
    guard since == nil, !isFinished else { return nil }
    if !isFiled { pass(until: now) }
    guard let newest = owed.last else { return nil }
    let missed = plan.behavior == .burst ? 0 : owed.count - 1
    let tick: (due: Double, index: Int, missed: Int)
    if plan.behavior == .burst {
      tick = (newest - Double(owed.count - 1) * plan.interval, index, 0)
      owed.removeFirst()
    } else {
      tick = (newest, index, missed)
      owed.removeAll()
    }
    index += 1
    hasUntakenDeadline = false
    if owed.isEmpty {
      isFiled = true
      delay(from: now)
    }
    if index == lastIndex { isFinished = true }
    return tick
  }

  private mutating func pass(until now: Double) {
    while next <= now {
      isLate = isLate || hasUntakenDeadline
      hasUntakenDeadline = true
      owed.append(next)
      next += plan.interval
    }
  }

  private mutating func delay(from now: Double) {
    if plan.behavior == .delay, isLate { next = now + plan.interval }
    isLate = false
  }

  // MARK: Control

  mutating func pause(at now: Double) {
    isPausedByCall = true
    stop(at: now)
  }

  mutating func beginScope(at now: Double) {
    scopeCount += 1
    stop(at: now)
  }

  private mutating func stop(at now: Double) {
    guard since == nil, !isFinished else { return }
    pass(until: now)
    since = now
  }

  mutating func resume(_ behavior: ResumeBehavior, at now: Double) {
    isPausedByCall = false
    goOn(behavior, at: now)
  }

  mutating func endScope(at now: Double) {
    scopeCount -= 1
    goOn(.keepingRemainingTime, at: now)
  }

  private mutating func goOn(_ behavior: ResumeBehavior, at now: Double) {
    guard let since, !isPausedByCall, scopeCount == 0, !isFinished else { return }
    switch behavior {
    case .keepingRemainingTime:
      next += now - since
    case .keepingPhase:
      while next <= now { next += plan.interval }
    case .immediately:
      owed.append(now)
      next = now + plan.interval
      isLate = false
    }
    self.since = nil
    isFiled = true
  }

  var hasScope: Bool { scopeCount > 0 }

  mutating func fireByHand(at now: Double) {
    guard since == nil, !isFinished else { return }
    if !isFiled { pass(until: now) }
    owed.append(now)
  }

  mutating func reschedule(_ plan: Plan, at now: Double) {
    guard !isFinished else { return }
    self.plan = plan
    owed.removeAll()
    hasUntakenDeadline = false
    isLate = false
    next = now + plan.interval
    lastIndex = index + plan.limit
    isFiled = true
    if since != nil { since = now }
  }
}
