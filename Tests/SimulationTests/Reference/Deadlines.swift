/// The deadlines of a plan, found one after another.
struct Deadlines {
  private let plan: Plan
  /// The first that hasn't passed.
  private var next: Int64?
  /// The last that has.
  private var served: Int64?
  /// A cadence from a date has none before.
  private var lowest = Int64.min

  init(_ plan: Plan, at clocks: Clocks) {
    self.plan = plan
    switch plan.cadence {
    case .every(let interval, .afterInterval): next = clocks.monotonic + interval
    case .every(_, .immediately): next = clocks.monotonic
    case .every(_, .after(let delay)), .after(let delay): next = clocks.monotonic + delay
    case .every(let interval, .at(let date)):
      var first = date
      // If the cadence began before now, a deadline is due at once.
      while first + interval <= clocks.wall { first += interval }
      next = first
      if date > clocks.wall { lowest = date }
    case .every(let interval, .aligned(let offset)):
      // 2001, where the scenario begins, lies so many seconds after 1970.
      var first = -978_307_200 * 1_000_000_000 as Int64
      let microseconds = ((offset % interval + interval) % interval + 500) / 1000
      if microseconds * 1000 < interval { first += microseconds * 1000 }
      next = first + ((clocks.wall - first) / interval + 1) * interval
    case .at(let date): next = date
    case .rule(let pattern): next = pattern.next(after: clocks.wall)
    }
  }

  var isOnWallClock: Bool { plan.isOnWallClock }

  var interval: Int64? { plan.isByRule ? nil : plan.interval }

  var isOnce: Bool { interval == nil && !plan.isByRule }

  /// Whether a pause moves them.
  var isMovable: Bool {
    switch plan.cadence {
    case .every(_, .aligned), .at, .rule: false
    case .every, .after: true
    }
  }

  /// The date after which there are none, on the timer's clock.
  private func end(_ clocks: Clocks) -> Int64 {
    plan.until.map { $0 - clocks.wall + clocks[isWall: isOnWallClock] } ?? .max
  }

  /// The next that hasn't passed, whether or not it has come.
  func upcoming(_ clocks: Clocks) -> Int64? {
    next.flatMap { $0 <= end(clocks) ? $0 : nil }
  }

  /// The last of all, if there is an end.
  func last(_ clocks: Clocks) -> Int64? {
    guard plan.until != nil else { return nil }
    var copy = self
    while copy.upcoming(clocks) != nil { copy.passOne() }
    return copy.served
  }

  // MARK: Passing

  /// Passes all that have come, and returns them.
  mutating func pass(_ clocks: Clocks) -> [Int64] {
    var passed: [Int64] = []
    while let deadline = upcoming(clocks), deadline <= clocks[isWall: isOnWallClock] {
      passed.append(deadline)
      passOne()
    }
    return passed
  }

  private mutating func passOne() {
    guard let deadline = next else { return }
    served = deadline
    switch plan.cadence {
    case .every(let interval, _): next = deadline + interval
    case .after, .at: next = nil
    case .rule(let pattern): next = pattern.next(after: deadline)
    }
  }

  /// After the clock was set back, deadlines come again before the next, but not the last one served.
  mutating func rejoin(_ clocks: Clocks) {
    if case .rule(let pattern) = plan.cadence {
      guard let first = pattern.next(after: clocks.wall) else { return }
      if let next, next <= first { return }
      next = first == served ? pattern.next(after: first) : first
    }
    guard isOnWallClock, let interval, var candidate = next else { return }
    while candidate - interval > clocks.wall, candidate - interval >= lowest { candidate -= interval }
    next = candidate == served ? candidate + interval : candidate
  }

  // MARK: Moving

  /// Begins the cadence anew, unless it is the wall clock's own.
  mutating func restart(_ clocks: Clocks) {
    guard isMovable, let interval else { return }
    served = clocks[isWall: isOnWallClock]
    next = clocks[isWall: isOnWallClock] + interval
    lowest = .min
  }

  mutating func postpone(from since: Clocks, to clocks: Clocks) {
    let pause = clocks[isWall: isOnWallClock] - since[isWall: isOnWallClock]
    next = next.map { $0 + pause }
    served = served.map { $0 + pause }
    if lowest > .min { lowest += pause }
  }

  /// Leaves out the deadlines that have come, except a single one.
  mutating func skip(_ clocks: Clocks) {
    let last = served
    if !isOnce { _ = pass(clocks) }
    // A rule isn't asked for the dates that are left out.
    if plan.isByRule { served = last }
  }
}
