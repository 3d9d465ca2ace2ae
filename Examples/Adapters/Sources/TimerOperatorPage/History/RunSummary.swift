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

  package init(since: Date? = nil, now: Date, usualTime: Duration? = nil, hasLastFailed: Bool? = nil) {
    (self.since, self.now, self.usualTime, self.hasLastFailed) = (since, now, usualTime, hasLastFailed)
  }
}
