import TimerScheduling

/// Which timers to show by what they are doing.
package enum StateFilter: String, Sendable, CaseIterable {
  case scheduled, running, paused, failed, late, missed

  /// - Parameter troubles: The timer's troubles, if it has any besides a pause.
  func includes(_ snapshot: TimerSnapshot, _ troubles: Set<Health.Trouble>?) -> Bool {
    switch self {
    case .scheduled: snapshot.state == .scheduled && !snapshot.isRunning
    case .running: snapshot.isRunning
    case .paused: snapshot.state == .paused
    case .failed: troubles?.contains(.failing) == true
    case .late: troubles?.contains(.late) == true
    case .missed: troubles?.contains(.missed) == true
    }
  }

  var title: String {
    switch self {
    case .scheduled: "Scheduled"
    case .running: "Running"
    case .paused: "Paused"
    case .failed: "Failing"
    case .late: "Late"
    case .missed: "Missing ticks"
    }
  }
}
