import Foundation
import TimerScheduling

/// Writes what runs throw, and what goes wrong with the database, on standard error.
struct FailureLog: TimerObserver {
  func observe(_ event: TimerEvent) {
    guard case .actionFailed(let error) = event.kind else { return }
    FileHandle.standardError.write(Data("\(event.name ?? "a timer"): \(error)\n".utf8))
  }
}
