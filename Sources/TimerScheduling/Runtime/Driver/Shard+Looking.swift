/// Counting, finding and listing the timers of a shard.
extension Shard {
  /// The number of timers, and of those that have a deadline.
  var counts: (live: Int, filed: Int) {
    withWheels { ($0.count, $0.filedCount) }
  }

  /// Returns the timer with a handle, which may be the handle of a removed timer.
  func entry(_ handle: Handle, on timeline: Timeline) -> TimerEntry? {
    withWheels { $0.withWheel(on: timeline) { $0.element(handle) } }
  }

  /// Returns the timers on a clock, in no particular order. The lock is held for a part of them at a time.
  func entries(on timeline: Timeline) -> [TimerEntry] {
    var entries: [TimerEntry] = []
    var position: UInt32 = 0
    while let next = nextEntries(on: timeline, from: &position) { entries += next }
    return entries
  }

  private func nextEntries(on timeline: Timeline, from position: inout UInt32) -> [TimerEntry]? {
    let start = position
    let (next, end) = withWheels { wheels -> ([TimerEntry]?, UInt32) in
      var position = start
      let next = wheels.withWheel(on: timeline) { $0.nextElements(from: &position) }
      return (next, position)
    }
    position = end
    return next
  }
}
