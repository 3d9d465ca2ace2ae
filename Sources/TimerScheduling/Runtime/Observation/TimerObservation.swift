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

  init(for observer: (any TimerObserver)?, label: String, noting monitor: (any ConsumerMonitor)?) {
    feed = observer.map { EventFeed(to: $0, label: label, noting: monitor) }
  }

  var tickCount: Int { ticks.load(ordering: .relaxed) }
  var missedCount: Int { missed.load(ordering: .relaxed) }
  var failureCount: Int { failures.load(ordering: .relaxed) }
  var pausedCount: Int { paused.load(ordering: .relaxed) }
  var droppedCount: Int { feed?.droppedCount ?? 0 }

  // MARK: Recording

  func record(_ transition: TimerTransition, of timer: TimerID, named name: String?) {
    switch transition {
    case .none:
      break
    case .scheduled:
      tell(.scheduled, of: timer, named: name)
    case .rescheduled:
      tell(.rescheduled, of: timer, named: name)
    case .paused:
      paused.add(1, ordering: .relaxed)
      tell(.paused, of: timer, named: name)
    case .resumed:
      paused.subtract(1, ordering: .relaxed)
      tell(.resumed, of: timer, named: name)
    case .finished(let reason, let whilePaused):
      if whilePaused { paused.subtract(1, ordering: .relaxed) }
      tell(.finished(reason), of: timer, named: name)
    }
  }

  /// Counts a tick that no listener had taken before, with the ticks taken and missed since the last such tick.
  func record(
    _ tick: TimerTick, _ count: TickCount, of timer: TimerID, named name: String?
  ) {
    ticks.addSaturated(count.taken)
    if count.missed > 0 { missed.addSaturated(count.missed) }
    guard feed != nil else { return }
    var tick = tick
    tick.missedCount = count.missed
    tell(.ticked(tick), of: timer, named: name)
  }

  func record(_ error: any Error, of timer: TimerID, named name: String?) {
    failures.addSaturated(1)
    tell(.actionFailed(error), of: timer, named: name)
  }

  private func tell(_ kind: TimerEvent.Kind, of timer: TimerID, named name: String?) {
    guard let feed else { return }
    feed.append(TimerEvent(timer: timer, name: name, kind: kind))
  }

  // MARK: Delivering

  /// Schedules the delivery of recorded events to the observer. Must not be called under a lock.
  func callForDelivery() { feed?.callForDelivery() }

  /// Waits until the observer has received all events so far.
  func waitUntilDelivered() async { await feed?.waitUntilDelivered() }
}
