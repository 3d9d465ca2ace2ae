import Dispatch
import Synchronization
package import TimerSchedulingFoundation

nonisolated extension TimerDriver {
  /// Returns the number of a new timer, wait or filing. A wheel tells it from what is left of an entry's
  /// earlier filings by it.
  func nextNumber() -> UInt64 { Self.lastNumber.add(1, ordering: .relaxed).newValue }

  /// Schedules a pass if one is needed. Must not be called under a lock.
  func wake(_ wakeup: Filing.Wakeup) {
    switch wakeup {
    case .none: break
    case .before(let moment, let timeline): wake(before: moment, on: timeline)
    case .disarm: postDisarm()
    }
  }

  package func postPass() { executor.async { [self] in makePass() } }

  /// Called on the queue.
  package func makePass() { assumeIsolated { $0.runPass(firing: true) } }

  /// Requests a pass, unless one is about to be made: a thread has announced something that it is to look at.
  package func announcePass() {
    while case let current = nextLook[.monotonic], current > .past {
      if nextLook.exchange(current, for: .past, on: .monotonic) { return requestPass() }
    }
  }

  private func wake(before moment: Deadline, on timeline: Timeline) {
    while case let current = nextLook[timeline], moment < current {
      if nextLook.exchange(current, for: .past, on: timeline) { return requestPass() }
    }
  }

  /// Schedules a pass that disarms the wakeups, which hold the driver, if no deadline is left then. Timers
  /// are often made and ended in turns, so that isn't done at once.
  private func postDisarm() {
    let isIdle = nextLook[.monotonic] == .never && nextLook[.wall] == .never && !wallClock.hasNotices
    guard virtual != nil || !isIdle, !isDisarmPosted.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    let disarm: @Sendable () -> Void = { [self] in
      isDisarmPosted.store(false, ordering: .sequentiallyConsistent)
      // Where time stands still, a timer that is filed meanwhile doesn't fire yet.
      if counts.filed == 0 { assumeIsolated { $0.runPass(firing: virtual == nil) } }
    }
    if clock.disarmDelay > .zero {
      let delay = DispatchTimeInterval.nanoseconds(Int(clock.disarmDelay.nanoseconds))
      executor.queue.asyncAfter(deadline: .now() + delay, execute: disarm)
    } else {
      executor.async(disarm)
    }
  }

  /// Requests a pass: at once or, on a virtual clock, in its next move.
  func requestPass() {
    if let virtual { virtual.requestPass(of: self) } else { postPass() }
  }

  /// The number of entries, and of those that have a deadline.
  package var counts: (entries: Int, filed: Int) { deadlines.counts }

  /// The number of timers that haven't finished.
  package var timerCount: Int {
    let others = waitCount.load(ordering: .relaxed) + runs.outlivedCount.load(ordering: .relaxed)
    return max(counts.entries - others, 0)
  }

  /// Returns the live timer with an identifier. One made from text has no place, so all timers are searched.
  func entry(id: TimerID) -> TimerEntry? {
    func isMeant(_ entry: TimerEntry) -> Bool { entry.id == id.number && !entry.isFinished }
    guard let place = id.place else { return entries.first(where: isMeant) }
    return deadlines.entry(in: Filing.Place(bits: place))?.timer.flatMap { isMeant($0) ? $0 : nil }
  }

  package func nextDate(ofTimer number: UInt64) -> Date? { entries.first { $0.id == number }?.nextDate }

  /// All timers that live or have a run under way.
  var entries: [TimerEntry] { deadlines.entries().compactMap(\.timer) }

  package var snapshots: [TimerSnapshot] {
    let reading = read()
    return entries.compactMap { $0.snapshot(at: reading) }
  }
}

/// An entry of a scheduler's queue of deadlines: a timer, or a task's wait.
enum FiledEntry: QueueEntry {
  case timer(TimerEntry)
  case wait(TimedWait)

  var timer: TimerEntry? { if case .timer(let timer) = self { timer } else { nil } }

  @inline(__always)
  var ends: UInt64 {
    switch self {
    case .timer(let timer): timer.ends
    case .wait(let wait): wait.purpose == .sleep ? 0 : 1
    }
  }

  var isLimit: Bool { if case .wait(let wait) = self { wait.purpose == .limit } else { false } }

  /// Ends the entry after the queue was closed. A limit goes on after a shutdown.
  func driverClosed(onQueue: Bool) {
    switch self {
    case .timer(let timer): timer.driverClosed(onQueue: onQueue)
    case .wait(let wait): wait.driverClosed()
    }
  }
}
