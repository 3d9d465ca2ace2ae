import Synchronization

/// The lateness of one timer's ticks against its grid.
///
/// With a capacity of zero it only counts the ticks.
///
/// Ticks of one timer don't overlap, so neither do their notes. The notes are read when the timer has been
/// stopped and the process is quiet.
final class TickTrack: @unchecked Sendable {
  private(set) var lateness: [Delay] = []
  private(set) var tickCount = 0
  private(set) var missedCount = 0
  private var due: Uptime
  let interval: Delay
  private let capacity: Int
  private let over = Atomic(false)

  init(_ rhythm: Rhythm, capacity: Int) {
    due = rhythm.start
    interval = rhythm.interval
    self.capacity = capacity
    lateness.reserveCapacity(capacity)
  }

  /// Whether the timer is to stop.
  var isOver: Bool { over.load(ordering: .relaxed) }

  func end() {
    over.store(true, ordering: .relaxed)
  }

  /// The grid begins anew, for a timer that makes its own when it is ready.
  func begin(at start: Uptime) {
    due = start
  }

  /// The timer has ticked, after `missed` deadlines for which it hasn't.
  ///
  /// The missed deadlines count as well, as late as the tick that came instead. So a timer that skips
  /// deadlines doesn't look better than one that catches up.
  func note(missed: Int = 0) {
    guard !isOver else { return }
    tickCount += 1
    missedCount += missed
    guard capacity > 0 else { return }
    let now = Uptime.now
    for _ in 0...missed where lateness.count < capacity {
      lateness.append(now - due)
      due = due + interval
    }
  }
}
