import TestSupport
import TimerScheduling

/// Notes what actions have thrown.
final class FailureLog: TimerObserver {
  private let journal = Journal<String>()
  var failures: [String] { journal.entries }

  func observe(_ event: TimerEvent) {
    if case .actionFailed(let error) = event.kind { journal.note("\(error)") }
  }
}
