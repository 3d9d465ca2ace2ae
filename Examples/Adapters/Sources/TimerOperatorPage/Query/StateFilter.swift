import TimerScheduling

/// Which timers to show by what they are doing.
package enum StateFilter: String, Sendable, CaseIterable {
  case scheduled, running, paused, failed

  func includes(_ snapshot: TimerSnapshot) -> Bool {
    switch self {
    case .scheduled: snapshot.state == .scheduled && !snapshot.isRunning
    case .running: snapshot.isRunning
    case .paused: snapshot.state == .paused
    case .failed: snapshot.failureCount > 0
    }
  }

  var title: String {
    switch self {
    case .scheduled: "Scheduled"
    case .running: "Running"
    case .paused: "Paused"
    case .failed: "With failures"
    }
  }
}
