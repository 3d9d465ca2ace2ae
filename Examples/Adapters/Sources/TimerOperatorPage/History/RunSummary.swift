import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A summary of a timer's last runs and of the run that goes on.
package struct RunSummary: Sendable {
  /// When the run that goes on began. Nil if none does.
  package var since: Date?
  /// The present time, by the same clock.
  package var now: Date
  /// The run time that half of the last runs didn't exceed. Nil before the first end.
  package var usualTime: Duration?
  /// Whether the last run that wasn't cancelled has failed. Nil if it isn't known.
  package var hasLastFailed: Bool?
  /// The number of deadlines without a tick before the last one. Nil if it isn't known.
  package var lastMissedCount: Int?
  /// The last run that has ended. Nil before the first end.
  package var last: PastRun?

  package init(
    since: Date? = nil, now: Date, usualTime: Duration? = nil, hasLastFailed: Bool? = nil,
    lastMissedCount: Int? = nil, last: PastRun? = nil
  ) {
    (self.since, self.now, self.usualTime, self.hasLastFailed) = (since, now, usualTime, hasLastFailed)
    (self.lastMissedCount, self.last) = (lastMissedCount, last)
  }
}

extension TimerSnapshot {
  /// Whether the timer's last run has failed or, if a history doesn't know it, any run.
  func hasFailed(by runs: RunSummary?) -> Bool { runs?.hasLastFailed ?? (failureCount > 0) }
}
