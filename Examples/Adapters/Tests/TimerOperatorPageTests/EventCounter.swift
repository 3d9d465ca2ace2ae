import Synchronization
import TimerScheduling

/// Counts ticks and runs.
final class EventCounter: TimerObserver {
  private let ticks = Atomic(0)
  private let runs = Atomic(0)

  var tickCount: Int { ticks.load(ordering: .relaxed) }
  var runCount: Int { runs.load(ordering: .relaxed) }

  func noteRun() { runs.add(1, ordering: .relaxed) }

  func observe(_ event: TimerEvent) {
    if case .ticked = event.kind { ticks.add(1, ordering: .relaxed) }
  }
}
