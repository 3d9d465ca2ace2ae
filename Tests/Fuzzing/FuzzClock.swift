/// Both clocks: the monotonic one goes on only, and the wall clock is also set.
struct FuzzClock {
  private(set) var now: ClockReading
  /// Whether the wall clock has only gone forward, as the monotonic one has.
  private(set) var isSteady = true
  /// Whether the clocks stay where nothing saturates, neither a difference of two readings nor the number of
  /// deadlines that have passed. With others nothing may trap, but deadlines aren't where they should be.
  let isOrdinary: Bool

  /// Ordinary clocks show a date in 2006 or 2007 when they are set, and go on for 73 years at most.
  private static let setRange = Deadline(nanoseconds: 1 << 60)...Deadline(nanoseconds: 1 << 60 + 1 << 55)
  private static let end = Deadline(nanoseconds: 1 << 61)

  init(_ input: inout FuzzInput) {
    isOrdinary = input.number(below: 4) > 0
    now = ClockReading(monotonic: Deadline(nanoseconds: input.magnitude()), wall: input.deadline())
    guard isOrdinary else { return }
    now.monotonic = min(now.monotonic, Self.end)
    now.wall = now.wall.clamped(to: Self.setRange)
  }

  mutating func advance(by interval: Interval) {
    let lead = now.wallLead
    let interval = isOrdinary ? min(interval, Self.end - now.monotonic) : interval
    now.monotonic = now.monotonic + interval
    now.wall = now.wall + interval
    // One of them may have come to its end.
    if now.wallLead != lead { isSteady = false }
  }

  mutating func advance(to deadline: Deadline, on timeline: Timeline) {
    if deadline > now[timeline] { advance(by: deadline - now[timeline]) }
  }

  /// Returns whether the wall clock was set back.
  mutating func setWall(to wall: Deadline) -> Bool {
    let before = now
    now.wall = isOrdinary ? wall.clamped(to: Self.setRange) : wall
    isSteady = false
    return now.isSetBack(since: before)
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
