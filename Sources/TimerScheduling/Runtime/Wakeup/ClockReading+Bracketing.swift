extension ClockReading {
  /// The greatest gap between two monotonic readings that enclose one of the wall clock.
  ///
  /// Three readings take about 100 ns. A thread that is held up in between takes a thousand times as long.
  private static let widestBracket = Interval(nanoseconds: 10_000)
  /// The greatest number of readings of the wall clock.
  private static let mostTries = 8

  /// Reads both clocks at one moment, as nearly as that can be done.
  ///
  /// A thread may be held up between two readings. So the monotonic clock is read before and after the wall clock, and
  /// both are read again if too much time has passed. If it has each time, the closest readings count. The result
  /// carries the earlier time of the monotonic clock, so that no tick is early.
  package static func bracketed(monotonic: () -> Deadline, wall: () -> Deadline) -> ClockReading {
    var before = monotonic()
    var best = ClockReading(monotonic: before, wall: wall())
    var after = monotonic()
    var width = after - before
    for _ in 1..<mostTries where width > widestBracket {
      before = after
      let reading = ClockReading(monotonic: before, wall: wall())
      after = monotonic()
      if after - before < width { (best, width) = (reading, after - before) }
    }
    return best
  }
}
