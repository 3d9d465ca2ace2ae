import TestSupport
import TimerScheduling

extension Journal<TimerEvent> {
  /// All events, a line each: the timer's name and the kind of the event.
  var lines: [String] { entries.map(\.summary) }
}

extension TimerEvent {
  /// The timer's name and the kind of the event.
  var summary: String { "\(name ?? "-") \(kind.summary)" }
}

extension TimerEvent.Kind {
  fileprivate var summary: String {
    switch self {
    case .scheduled: "scheduled"
    case .ticked(let tick):
      tick.missedCount == 0 ? "tick \(tick.index)" : "tick \(tick.index) (\(tick.missedCount) missed)"
    case .paused: "paused"
    case .resumed: "resumed"
    case .rescheduled: "rescheduled"
    case .actionFailed(let error): "failed: \(error)"
    case .finished(let reason): "finished: \(reason)"
    }
  }
}

extension TimerStatistics {
  /// The numbers of timers that are active and paused, and of actions that run.
  var live: [Int] { [activeCount, pausedCount, runningCount] }
  /// The numbers of ticks, missed deadlines and failures.
  var totals: [Int] { [tickCount, missedCount, failureCount] }
}

extension TimerScheduler.Configuration {
  /// The default configuration with an observer.
  init(observer: any TimerObserver) {
    self.init()
    self.observer = observer
  }
}
