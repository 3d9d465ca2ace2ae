import Synchronization
package import TimerSchedulingFoundation

/// Filing timers on the thread that makes, changes or ends them. Called under the lock of the timer.
nonisolated extension TimerDriver {
  /// Adds a timer or a wait, with its deadline if it has one. Returns nil if the driver takes none of this kind any
  /// more.
  ///
  /// Each filing has a new number, by which a wheel tells it from what is left of the entry's earlier filings. The
  /// number of the first is the timer's identifier.
  func add(_ entry: FiledEntry, _ filing: Filing?, number: UInt64) -> (Filing.Place, Filing.Wakeup)? {
    guard let addition = deadlines.add(entry, filing, number: number) else { return nil }
    if addition.isFirst { holdTimers() }
    return (addition.place, addition.wakeup)
  }

  /// Draws the number of a timer or a filing. It is used once in the process.
  func nextNumber() -> UInt64 { Self.lastNumber.add(1, ordering: .relaxed).newValue }

  /// Returns the filing of a wait, or nil if its deadline never comes.
  func filing(at deadline: Deadline, on timeline: Timeline, tolerance: Duration?) -> Filing? {
    guard deadline < .never else { return nil }
    return Filing(
      timeline: timeline, deadline: deadline,
      latest: deadline + (tolerance.map { Interval($0) } ?? defaultTolerance))
  }

  /// Files a timer again. Returns nil if the driver is closed.
  func file(_ place: Filing.Place, _ filing: Filing?) -> Filing.Wakeup? {
    deadlines.file(place, filing, number: nextNumber())
  }

  /// Schedules a pass if one is needed. Must not be called under a lock.
  func wake(_ wakeup: Filing.Wakeup) {
    switch wakeup {
    case .none: break
    case .before(let moment, let timeline): wake(before: moment, on: timeline)
    case .disarm: postDisarm()
    }
  }

  /// Makes a pass after earlier work of the queue.
  package func postPass() { executor.async { [self] in makePass() } }

  /// Makes a pass at once. Called on the queue.
  package func makePass() { assumeIsolated { $0.runPass(firing: true) } }

  /// Requests a pass, unless one is about to be made: a thread has announced something that it is to look at.
  ///
  /// The moment is before every deadline, and after the beginning of time, which says that a look is certain to follow.
  package func announcePass() { wake(before: .past + Interval(nanoseconds: 1), on: .monotonic) }

  private func wake(before moment: Deadline, on timeline: Timeline) {
    var current = armed[timeline]
    while moment < current {
      if armed.exchange(current, for: .past, on: timeline) { return clock.requestPass(of: self) }
      current = armed[timeline]
    }
  }

  /// Schedules a pass that disarms the wakeups if no deadline is left then. An armed wakeup holds the driver.
  ///
  /// Timers are often made and ended in turns, so this isn't done each time.
  private func postDisarm() {
    let isIdle = armed[.monotonic] == .never && armed[.wall] == .never
    guard clock.standsStill || !isIdle, !isDisarmPosted.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    let disarm: @Sendable () -> Void = { [self] in
      isDisarmPosted.store(false, ordering: .sequentiallyConsistent)
      // Where time stands still, a timer that is filed meanwhile doesn't fire yet.
      if counts.filed == 0 { assumeIsolated { $0.runPass(firing: !clock.standsStill) } }
    }
    if clock.disarmDelay > .zero {
      executor.async(after: clock.disarmDelay, disarm)
    } else {
      executor.async(disarm)
    }
  }

  /// Makes the clock hold the timers and waits, when the first one is added on a clock that can be dropped.
  private func holdTimers() {
    if clock.standsStill, let lifeline { clock.hold(lifeline) }
  }

  /// Makes the clock release its hold on the timers and waits if there are none.
  func releaseTimersIfNone() {
    guard clock.standsStill, counts.entries == 0, let lifeline else { return }
    clock.release(lifeline)
    // A timer may have been added meanwhile.
    if counts.entries > 0 { clock.hold(lifeline) }
  }

  /// The number of entries, and of those that have a deadline. The entries are timers that live or have a run under way,
  /// and waits.
  package var counts: (entries: Int, filed: Int) { deadlines.counts }

  /// The number of timers that haven't finished.
  package var timerCount: Int {
    let others = waitCount.load(ordering: .relaxed) + tasks.outlivedCount.load(ordering: .relaxed)
    return max(counts.entries - others, 0)
  }

  /// Returns the live timer with an identifier. One made from text contains no place, so all timers are searched.
  func entry(id: TimerID) -> TimerEntry? {
    func isMeant(_ entry: TimerEntry) -> Bool { entry.id == id.number && !entry.isFinished }
    guard let place = id.place else { return entries.first(where: isMeant) }
    return deadlines.entry(in: Filing.Place(bits: place))?.timer.flatMap { isMeant($0) ? $0 : nil }
  }

  package func nextDate(ofTimer number: UInt64) -> Date? { entries.first { $0.id == number }?.nextDate }

  /// All timers that live or have a run under way.
  var entries: [TimerEntry] { deadlines.entries().compactMap(\.timer) }

  var snapshots: [TimerSnapshot] {
    let reading = clock.read()
    return entries.compactMap { $0.snapshot(at: reading) }
  }
}

/// An entry of a scheduler's queue of deadlines: a timer, or a task's wait.
enum FiledEntry: QueueEntry {
  case timer(TimerEntry)
  case wait(TimedWait)

  var timer: TimerEntry? {
    switch self {
    case .timer(let timer): timer
    case .wait: nil
    }
  }

  @inline(__always)
  var ends: UInt64 {
    switch self {
    case .timer(let timer): timer.ends
    case .wait(let wait): wait.purpose == .sleep ? 0 : 1
    }
  }

  var isLimit: Bool {
    switch self {
    case .timer: false
    case .wait(let wait): wait.purpose == .limit
    }
  }

  /// Ends the entry after the queue was closed. A limit goes on after a shutdown.
  func driverClosed(onQueue: Bool) {
    switch self {
    case .timer(let timer): timer.driverClosed(onQueue: onQueue)
    case .wait(let wait): wait.driverClosed()
    }
  }
}
