import TimerScheduling

/// One timer, by the promises, with every tick in a list.
///
/// - A wakeup is asked for as long as a consumer waits for the tick. A tick that comes while none waits is
///   kept, and the ticks after it are found, by the clocks as they are then, when it is taken.
/// - Each consumer has the list of the ticks that have come since it took one.
struct ReferenceTimer {
  enum Phase: Equatable {
    /// A wakeup is asked for.
    case filed
    /// A tick is kept, and no wakeup asked for.
    case parked
    /// There are no more deadlines.
    case over
    case finished(ScheduledTimer.FinishReason)
  }

  let blueprint: Blueprint
  /// The number of the owner, among all owners that had its place.
  let owner: Int?
  var plan: Plan
  var deadlines: Deadlines
  var phase = Phase.filed
  var consumers: [ReferenceConsumer] = []

  /// The number of ticks that have come. Each has its number.
  var count = 0
  /// The number of the first of the present plan.
  var firstNumber = 0
  /// The times at which the newest tick was due and the timer was last fired, on the wall clock.
  var newestDue: Int64 = 0
  var fired: Int64 = 0
  /// The time from which the timer was late, on the wall clock, if the newest was due in a pause.
  var lateFrom: Int64?
  /// The time at which the timer was resumed, on its own clock, if its deadline had passed by then.
  var resumed: Int64?
  /// The indices of those that were taken.
  var indices: [Int: Int] = [:]
  var takenCount = 0
  var indexLimit: Int
  /// Whether a deadline has passed since a tick was taken, and whether one was missed.
  var hasUntaken = false
  var isLate = false
  /// The time from which the newest tick counts as late, on the timer's clock, until it has come.
  var expected: Int64?

  var pausedSince: Clocks?
  var isPausedByCall = false
  var scopeCount = 0
  /// Whether it was ended from outside, in which case no tick is taken any more, not even of a completed
  /// timer.
  var isEnded = false
  /// Whether the test has a handle.
  var isHeld: Bool

  init(_ blueprint: Blueprint, number: Int, owner: Int?, at clocks: Clocks) {
    self.blueprint = blueprint
    self.owner = owner
    plan = blueprint.plan
    deadlines = Deadlines(plan, at: clocks)
    indexLimit = plan.limit ?? .max
    switch blueprint.form {
    case .stream(let busyTimes):
      isHeld = false
      consumers = [ReferenceConsumer(number, busyTimes)]
      consumers[0].isOfDates = true
    case .timer:
      isHeld = true
    case .action(let busyTimes, _, _):
      isHeld = true
      consumers = [ReferenceConsumer(number, busyTimes)]
      consumers[0].isAction = true
    }
    begin(clocks)
  }

  // MARK: Queries

  var isFinished: Bool {
    switch phase {
    case .finished: true
    case .filed, .parked, .over: false
    }
  }

  var state: ScheduledTimer.State {
    switch phase {
    case .finished(let reason): .finished(reason)
    case .filed, .parked, .over: pausedSince == nil ? .scheduled : .paused
    }
  }

  var isRunning: Bool { consumers.contains { $0.isAction && $0.isAsleep } }
  var isAtLimit: Bool { takenCount >= indexLimit }
  private var isAwaited: Bool { consumers.contains { $0.activity == .asking } }

  /// The time for which a wakeup is asked, on the monotonic clock.
  func wakeup(_ clocks: Clocks) -> Int64? {
    guard pausedSince == nil else { return nil }
    let deadline: Int64? =
      switch phase {
      case .filed: deadlines.upcoming(clocks)
      // It may end while no consumer waits.
      case .parked: plan.isByRule ? nil : deadlines.last(clocks)
      case .over, .finished: nil
      }
    return deadline.map { $0 - clocks[isWall: plan.isOnWallClock] + clocks.monotonic }
  }

  // MARK: Firing

  /// The wakeup has come.
  mutating func fire(_ clocks: Clocks) {
    switch phase {
    case .filed:
      let passed = deadlines.pass(clocks, isAwaited ? .all : .first)
      note(passed, clocks)
      if !passed.isEmpty { fired = clocks.wall }
      lateFrom = resumed.map { $0 - clocks[isWall: plan.isOnWallClock] + clocks.wall }
      resumed = nil
      if isAwaited { fileNext(clocks) } else { park(clocks) }
    case .parked:
      look(clocks)
      park(clocks)
    case .over, .finished:
      break
    }
  }

  /// Finds the ticks that have come while no consumer was waiting.
  mutating func look(_ clocks: Clocks) {
    // A rule isn't asked for its dates in the time without listeners, but for those before the first.
    let isWithoutListeners = takenCount > 0 && consumers.allSatisfy { $0.activity == .gone }
    let passed = deadlines.pass(clocks, isWithoutListeners ? .none : .all)
    if isWithoutListeners { deadlines.forget() }
    note(passed, clocks)
    // Nothing fired for it.
    if !passed.isEmpty { fired = min(fired, newestDue) }
  }

  private mutating func note(_ passed: [Int64], _ clocks: Clocks) {
    guard let newest = passed.last else { return }
    expected = newest
    newestDue = newest - clocks[isWall: plan.isOnWallClock] + clocks.wall
    lateFrom = nil
    if passed.count > 1 || hasUntaken { isLate = true }
    hasUntaken = true
    for _ in passed { addTick() }
  }

  mutating func addTick() {
    for position in consumers.indices where consumers[position].activity != .gone {
      consumers[position].owed.append(count)
    }
    count += 1
  }

  mutating func begin(_ clocks: Clocks) {
    file(clocks)
    if isAtLimit { phase = .over }
  }

  mutating func file(_ clocks: Clocks) {
    resumed = nil
    deadlines.rejoin(clocks)
    phase = deadlines.upcoming(clocks) == nil ? .over : .filed
  }

  /// Files the deadline after a tick that is taken.
  mutating func fileNext(_ clocks: Clocks) {
    if plan.behavior == .delay, isLate || isTooLate(clocks) { deadlines.restart(clocks) }
    isLate = false
    expected = nil
    file(clocks)
  }

  private func isTooLate(_ clocks: Clocks) -> Bool {
    guard let expected, let interval = deadlines.interval else { return false }
    return clocks[isWall: plan.isOnWallClock] - expected > min(5_000_000, interval / 8)
  }

  mutating func park(_ clocks: Clocks) {
    // A rule has yet to be asked.
    phase = plan.isByRule || deadlines.upcoming(clocks) != nil ? .parked : .over
  }
}
