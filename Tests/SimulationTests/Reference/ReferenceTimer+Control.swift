import TimerScheduling

extension ReferenceTimer {
  // MARK: Pausing

  mutating func pause(_ clocks: Clocks) {
    isPausedByCall = true
    interrupt(clocks)
  }

  mutating func beginScope(_ clocks: Clocks) {
    scopeCount += 1
    interrupt(clocks)
  }

  private mutating func interrupt(_ clocks: Clocks) {
    guard pausedSince == nil, !isFinished else { return }
    if phase != .over {
      look(clocks)
      if !plan.isByRule { file(clocks) }
    }
    pausedSince = clocks
  }

  mutating func resume(_ behavior: ResumeBehavior, _ clocks: Clocks) {
    isPausedByCall = false
    goOn(behavior, clocks)
  }

  mutating func endScope(_ clocks: Clocks) {
    guard scopeCount > 0 else { return }
    scopeCount -= 1
    goOn(.keepingRemainingTime, clocks)
    finishIfUnheld()
  }

  private mutating func goOn(_ behavior: ResumeBehavior, _ clocks: Clocks) {
    guard let since = pausedSince, !isPausedByCall, scopeCount == 0, !isFinished else { return }
    pausedSince = nil
    guard phase != .over else { return }
    switch behavior {
    case .keepingRemainingTime where deadlines.isMovable:
      deadlines.postpone(from: since, to: clocks)
    case .immediately:
      tickNow(clocks)
      if deadlines.isOnce {
        phase = .over
        return
      }
      skip(from: since, clocks)
      deadlines.restart(clocks)
      isLate = false
    default:
      skip(from: since, clocks)
    }
    if phase == .filed { file(clocks) }
    let now = clocks[isWall: plan.isOnWallClock]
    // A tick that waits isn't late for the pause.
    expected = expected.map { max($0, now) }
    if phase == .filed, let due = deadlines.upcoming(clocks), due < now { resumed = now }
  }

  private mutating func skip(from since: Clocks, _ clocks: Clocks) {
    let next = deadlines.upcoming(clocks)
    deadlines.skip(clocks)
    deadlines.rejoin(clocks)
    // A rule whose date has passed in the pause has to be asked for the one after it, and where the clock was
    // set back.
    if plan.isByRule, deadlines.upcoming(clocks) != next || clocks.wall < since.wall { phase = .parked }
  }

  // MARK: Other calls

  mutating func fireByHand(_ clocks: Clocks) {
    guard pausedSince == nil, !isFinished, phase != .over else { return }
    look(clocks)
    if phase == .filed { file(clocks) }
    tickNow(clocks)
    if deadlines.isOnce { phase = .over }
  }

  private mutating func tickNow(_ clocks: Clocks) {
    if let until = plan.until, until < clocks.wall { return }
    addTick()
    expected = nil
    lateFrom = nil
    newestDue = clocks.wall
    fired = clocks.wall
  }

  mutating func reschedule(_ plan: Plan, _ clocks: Clocks) {
    guard !isFinished else { return }
    self.plan = plan
    deadlines = Deadlines(plan, at: clocks)
    firstNumber = count
    for position in consumers.indices { consumers[position].owed = [] }
    hasUntaken = false
    isLate = false
    expected = nil
    indexLimit = plan.limit.map { takenCount + $0 } ?? .max
    begin(clocks)
    if pausedSince != nil { pausedSince = clocks }
  }

  /// Makes the timer follow a wall clock that was set back. What has come before has come by the time before.
  mutating func noteSetBack(from before: Clocks, _ clocks: Clocks) {
    guard plan.isOnWallClock, pausedSince == nil else { return }
    switch phase {
    case .filed: file(clocks)
    case .parked:
      look(before)
      deadlines.rejoin(clocks)
      park(clocks)
    case .over, .finished: break
    }
  }

  // MARK: What it shows

  func nextDate(_ clocks: Clocks) -> Int64? {
    pausedSince == nil ? remainingTime(clocks).map { clocks.wall + $0 } : nil
  }

  /// The remaining time or, while paused, the time that will remain.
  func remainingTime(_ clocks: Clocks) -> Int64? {
    let moment = deadlines.isMovable ? pausedSince ?? clocks : clocks
    var rest = deadlines
    switch phase {
    case .filed where pausedSince != nil && !deadlines.isMovable:
      rest.skip(clocks)
      rest.rejoin(clocks)
      // A rule whose date has passed has to be asked for the one after it, and where the clock was set back.
      let isBefore = pausedSince.map { clocks.wall < $0.wall } ?? false
      if plan.isByRule, isBefore || rest.upcoming(clocks) != deadlines.upcoming(clocks) { return nil }
    case .filed: break
    case .parked where !plan.isByRule: _ = rest.pass(clocks)
    case .parked, .over, .finished: return nil
    }
    rest.rejoin(moment)
    return rest.upcoming(moment).map { max($0 - moment[isWall: plan.isOnWallClock], 0) }
  }
}
