import Foundation
import TimerScheduling

/// Writes the errors of runs and of the database to standard error.
struct FailureLog: TimerObserver {
  func observe(_ event: TimerEvent) {
    guard case .actionFailed(let error) = event.kind else { return }
    FileHandle.standardError.write(Data("\(event.name ?? "a timer"): \(error)\n".utf8))
  }
}
