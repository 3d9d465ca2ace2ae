import TestSupport
import TimerScheduling

/// Records the errors of actions.
final class FailureLog: TimerObserver {
  private let journal = Journal<String>()
  var failures: [String] { journal.entries }

  func observe(_ event: TimerEvent) {
    if case .actionFailed(let error) = event.kind { journal.note("\(error)") }
  }
}
