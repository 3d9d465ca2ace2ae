package import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A run of an action that has ended.
package struct PastRun: Sendable, Hashable {
  /// How a run has ended.
  package enum Outcome: Sendable, Hashable {
    case ended
    /// The run's task was cancelled, and the action threw no other error.
    case cancelled
    /// The action threw an error. The text describes it, and is not longer than a limit.
    case failed(String)

    var hasFailed: Bool { if case .failed = self { true } else { false } }

    /// The outcome of a run that has thrown an error, in the run's task.
    package static func throwing(_ error: any Error) -> Outcome {
      if error is CancellationError, Task.isCancelled { return .cancelled }
      return .failed(DisplayName.text(for: "\(error)", upTo: PastRun.maximumErrorLength))
    }
  }

  package static let maximumErrorLength = 10_000

  /// The date on which the timer fired.
  package let date: Date
  package let lateness: Duration
  /// The number of deadlines that had passed without a tick.
  package let missedCount: Int
  package let duration: Duration
  package let outcome: Outcome

  package init(for tick: TimerTick, duration: Duration, outcome: Outcome) {
    date = tick.date
    lateness = tick.lateness
    missedCount = tick.missedCount
    self.duration = duration
    self.outcome = outcome
  }
}
