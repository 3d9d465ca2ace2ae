/// The deadlines of a plan, found one after another.
struct Deadlines {
  private let plan: Plan
  /// The first that hasn't passed.
  private var next: Int64?
  /// The last that has, and the last that doesn't come again at once if the clock is set back: a rule has yet
  /// to be asked for the dates between the two.
  private var newest: Int64?
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
    return copy.newest
  }

  // MARK: Passing

  enum Asking {
    /// A rule is asked for all dates that have passed.
    case all
    /// It has been asked for the first.
    case first
    /// It isn't asked for these.
    case none
  }

  /// Passes all that have come, and returns them.
  mutating func pass(_ clocks: Clocks, _ asking: Asking = .all) -> [Int64] {
    var passed: [Int64] = []
    let last = newest
    defer {
      switch asking {
      case _ where !plan.isByRule, .all: served = newest
      case .first: served = passed.first ?? served
      case .none: newest = last
      }
    }
    while let deadline = upcoming(clocks), deadline <= clocks[isWall: isOnWallClock] {
      passed.append(deadline)
      passOne()
    }
    return passed
  }

  private mutating func passOne() {
    guard let deadline = next else { return }
    newest = deadline
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
      if let next, next <= first, next != served { return }
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
    (newest, served) = (clocks[isWall: isOnWallClock], clocks[isWall: isOnWallClock])
    next = clocks[isWall: isOnWallClock] + interval
    lowest = .min
  }

  mutating func postpone(from since: Clocks, to clocks: Clocks) {
    let pause = clocks[isWall: isOnWallClock] - since[isWall: isOnWallClock]
    next = next.map { $0 + pause }
    (newest, served) = (newest.map { $0 + pause }, served.map { $0 + pause })
    if lowest > .min { lowest += pause }
  }

  /// Leaves out the deadlines that have come, except a single one.
  mutating func skip(_ clocks: Clocks) {
    if !isOnce { _ = pass(clocks, .none) }
  }

  /// Leaves out the dates that a rule hasn't been asked for.
  mutating func forget() { newest = served }
}
