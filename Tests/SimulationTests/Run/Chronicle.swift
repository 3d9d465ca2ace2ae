import TestSupport
import TimerScheduling

/// The events of all timers of a run as an observer receives them, compared with the scheduler's own
/// statistics.
final class Chronicle: TimerObserver {
  private let stories = Lock<[ScheduledTimer.ID: TimerStory]>([:])
  /// Whether there are bursts. When a listener joins a burst while another is behind, the ticks that the
  /// other is owed count as taken, and the observer doesn't receive them one by one.
  private let hasBursts: Bool

  init(of scenario: Scenario) {
    hasBursts = scenario.operations.contains { operation in
      switch operation {
      case .make(_, let blueprint): blueprint.plan.behavior == .burst
      case .reschedule(_, let plan): plan.behavior == .burst
      default: false
      }
    }
  }

  func observe(_ event: TimerEvent) {
    stories.withLock { $0[event.timer, default: TimerStory()].tell(event.kind) }
  }

  /// The contradictions that are found while everything has settled.
  func contradictions(with scheduler: TimerScheduler) async -> [String] {
    let snapshots = await scheduler.snapshots
    let statistics = await scheduler.statistics
    let stories = stories.withLock { $0 }
    var contradictions = stories.values.flatMap(\.contradictions)
    func compare(_ what: String, _ told: Int, _ said: Int, mayBeLess: Bool = false) {
      if told > said || (told < said && !mayBeLess) {
        contradictions.append("\(what): the observer was told of \(told), and there are \(said)")
      }
    }
    compare(
      "live timers", stories.values.count { !$0.isFinished }, statistics.activeCount + statistics.pausedCount)
    compare("paused", stories.values.count(where: \.isPaused), statistics.pausedCount)
    compare("ticks", stories.values.map(\.ticks).reduce(0, +), statistics.tickCount, mayBeLess: hasBursts)
    compare("missed", stories.values.map(\.missed).reduce(0, +), statistics.missedCount)
    compare("failures", stories.values.map(\.failures).reduce(0, +), statistics.failureCount)
    compare("dropped", 0, statistics.droppedEventCount)
    for snapshot in snapshots {
      let story = stories[snapshot.id] ?? TimerStory()
      compare("ticks of timer \(snapshot.id)", story.ticks, snapshot.tickCount, mayBeLess: hasBursts)
      if (snapshot.state == .paused) != story.isPaused {
        contradictions.append("timer \(snapshot.id) is \(snapshot.state), and the observer wasn't told so")
      }
    }
    return contradictions
  }
}
