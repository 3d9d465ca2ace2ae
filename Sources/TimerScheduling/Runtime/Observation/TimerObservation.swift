import Synchronization

/// The number of ticks taken, and of deadlines missed before them.
package struct TickCount: Sendable, Equatable {
  package var taken: Int
  package var missed: Int
}

/// Counts the transitions and ticks of a scheduler's timers, and passes them to the scheduler's observer.
///
/// `record` is called under the lock of the timer, so in order; ``callForDelivery()`` is called after that. Without
/// an observer this only counts.
struct TimerObservation: ~Copyable, Sendable {
  private let ticks = Atomic<Int>(0)
  private let missed = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)
  private let paused = Atomic<Int>(0)
  private let feed: EventFeed?

  init(for observer: (any TimerObserver)?, label: String, on clock: any SchedulerClock) {
    feed = observer.map { EventFeed(to: $0, label: label, on: clock) }
  }

  var tickCount: Int { ticks.load(ordering: .relaxed) }
  var missedCount: Int { missed.load(ordering: .relaxed) }
  var failureCount: Int { failures.load(ordering: .relaxed) }
  var pausedCount: Int { paused.load(ordering: .relaxed) }
  var droppedCount: Int { feed?.droppedCount ?? 0 }

  /// Counts and tells a change of a timer's state.
  func recordChange(from old: TimerState, to new: TimerState, of timer: TimerID, named name: String?) {
    if old == .paused { paused.subtract(1, ordering: .relaxed) }
    if new == .paused { paused.add(1, ordering: .relaxed) }
    switch new {
    case .scheduled: record(.resumed, of: timer, named: name)
    case .paused: record(.paused, of: timer, named: name)
    case .finished(let reason): record(.finished(reason), of: timer, named: name)
    }
  }

  /// Counts a tick that no listener had taken before, with the ticks taken and missed since the last such tick.
  func record(_ tick: TimerTick, _ count: TickCount, of timer: TimerID, named name: String?) {
    ticks.addSaturated(count.taken)
    if count.missed > 0 { missed.addSaturated(count.missed) }
    guard feed != nil else { return }
    var tick = tick
    tick.missedCount = count.missed
    record(.ticked(tick), of: timer, named: name)
  }

  func record(_ error: any Error, of timer: TimerID, named name: String?) {
    failures.addSaturated(1)
    record(.actionFailed(error), of: timer, named: name)
  }

  /// Tells the observer of an event.
  func record(_ kind: TimerEvent.Kind, of timer: TimerID, named name: String?) {
    feed?.append(TimerEvent(timer: timer, name: name, kind: kind))
  }

  /// Must not be called under a lock.
  func callForDelivery() { feed?.callForDelivery() }

  func waitUntilDelivered() async { await feed?.waitUntilDelivered() }
}

extension Atomic<Int> {
  /// Adds a number that isn't negative. At the greatest number the count stays there.
  package func addSaturated(_ number: Int) {
    var current = load(ordering: .relaxed)
    while true {
      let (sum, overflow) = current.addingReportingOverflow(number)
      let (exchanged, original) = weakCompareExchange(
        expected: current, desired: overflow ? .max : sum, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}
