import TestSupport
import TimerScheduling
import TimerSchedulingCluster

/// Records the errors of actions, of runs without their jobs.
final class FailureLog: TimerObserver {
  private let journal = Journal<String>()
  var failures: [String] { journal.entries }

  func observe(_ event: TimerEvent) {
    guard case .actionFailed(let error) = event.kind else { return }
    if case ClusterError.runFailed(_, _, _, _, let cause) = error {
      journal.note("\(cause)")
    } else {
      journal.note("\(error)")
    }
  }
}
