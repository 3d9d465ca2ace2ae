import TimerScheduling

extension ReferenceTimer {
  /// Lets the consumers take the ticks that they can. Returns whether anything has changed.
  mutating func serve(_ clocks: Clocks) -> Bool {
    var isChanged = false
    for position in consumers.indices where consumers[position].activity == .asking {
      while consumers[position].activity == .asking, serve(position, clocks) { isChanged = true }
    }
    return isChanged
  }

  private mutating func serve(_ position: Int, _ clocks: Clocks) -> Bool {
    switch phase {
    case .finished(.completed):
      break
    case .finished:
      consumers[position].activity = .gone
      return true
    case .filed, .parked, .over:
      if pausedSince != nil { return false }
    }
    let wasParked = phase == .parked
    if wasParked { look(clocks) }
    let tick = takeTick(position)
    if isFinished {
      if tick == nil { consumers[position].activity = .gone }
    } else if tick != nil, isAtLimit {
      phase = .over
    } else if wasParked, !owes(position) || plan.isByRule {
      if tick != nil { fileNext(clocks) } else { file(clocks) }
    } else if tick != nil, phase == .filed, plan.behavior == .delay, deadlines.isMovable,
      isLate || expected != nil
    {
      fileNext(clocks)
    }
    guard let tick else { return isFinished || wasParked }
    consume(tick, position, clocks)
    return true
  }

  private mutating func consume(_ tick: Tick, _ position: Int, _ clocks: Clocks) {
    let run = consumers[position].log.count
    var tick = tick
    if consumers[position].isOfDates { tick.details = nil }
    consumers[position].log.append(tick)
    let sleep = consumers[position].busyTimes.sleep(after: run)
    if sleep > 0 {
      consumers[position].activity = .asleep(until: clocks.monotonic + sleep)
    } else {
      noteServed(position)
    }
  }

  /// Resumes the consumers that have slept long enough. Returns whether any was resumed.
  mutating func wake(_ clocks: Clocks) -> Bool {
    var isChanged = false
    for position in consumers.indices {
      switch consumers[position].activity {
      case .asleep(let until) where until <= clocks.monotonic:
        noteServed(position)
        isChanged = true
      case .asleep, .asking, .gone:
        break
      }
    }
    return isChanged
  }

  /// The consumer is done with its tick.
  private mutating func noteServed(_ position: Int) {
    consumers[position].activity = .asking
    guard consumers[position].isAction else { return }
    switch blueprint.form {
    case .action(_, consumers[position].log.count - 1, .finish): finish(.failed)
    case .action, .stream, .timer: break
    }
  }

  // MARK: Which tick

  func owes(_ position: Int) -> Bool { next(for: position) != nil }

  private func next(for position: Int) -> (number: Int, index: Int)? {
    let owed = consumers[position].owed
    guard let number = plan.behavior == .burst ? owed.first : owed.last else { return nil }
    let index = indices[number] ?? takenCount + yetToBeTaken(before: number).count
    return index < indexLimit ? (number, index) : nil
  }

  /// In a burst each deadline has its tick, even one that only a slower consumer will take.
  private func yetToBeTaken(before number: Int) -> [Int] {
    guard plan.behavior == .burst else { return [] }
    return Set(consumers.flatMap(\.owed)).filter { $0 < number && indices[$0] == nil }.sorted()
  }

  private mutating func takeTick(_ position: Int) -> Tick? {
    guard let (number, index) = next(for: position) else { return nil }
    for earlier in yetToBeTaken(before: number) { giveIndex(earlier) }
    if indices[number] == nil { giveIndex(number) }
    let missed = plan.behavior == .burst ? 0 : consumers[position].owed.count - 1
    consumers[position].owed.removeFirst(missed + 1)
    hasUntaken = false
    // The ticks that are owed are spaced evenly before the newest.
    let due = newestDue - Int64(count - 1 - number) * (deadlines.interval ?? 0)
    let date = max(due, fired)
    let lateness = date - max(due, lateFrom ?? due)
    return Tick(
      date: date, details: Tick.Details(due: due, index: index, missed: missed, lateness: lateness))
  }

  private mutating func giveIndex(_ number: Int) {
    indices[number] = takenCount
    takenCount += 1
  }
}
