package import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A run of an action that has ended.
package struct PastRun: Sendable, Hashable {
  package static let maximumErrorLength = 10_000

  /// The date on which the timer fired.
  package let date: Date
  package let lateness: Duration
  /// The number of deadlines that had passed without a tick.
  package let missedCount: Int
  package let duration: Duration
  /// A description of what the action has thrown, not longer than a limit. Nil if it has thrown nothing.
  package let error: String?

  package init(for tick: TimerTick, duration: Duration, error: (any Error)?) {
    date = tick.date
    lateness = tick.lateness
    missedCount = tick.missedCount
    self.duration = duration
    self.error = error.map { DisplayName.text(for: "\($0)", upTo: Self.maximumErrorLength) }
  }
}
