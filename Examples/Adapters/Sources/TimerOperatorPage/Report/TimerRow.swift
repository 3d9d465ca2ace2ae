import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a page shows of one timer.
struct TimerRow: Sendable, Encodable {
  let id: String
  let name: String
  let state: String
  /// The seconds until the next tick, or that were left when the timer was paused.
  let remaining: Double?
  let nextDate: String?
  let tickCount: Int
  /// The last lateness in seconds.
  let lateness: Double?
  /// The texts of cells that are only shown.
  let texts: [String: String]

  init(_ snapshot: TimerSnapshot) {
    id = snapshot.id.description
    name = DisplayName.text(for: snapshot)
    state = snapshot.isRunning && snapshot.state == .scheduled ? "running" : snapshot.state.description
    remaining = snapshot.remainingTime?.seconds
    nextDate = snapshot.nextDate?.formatted(.iso8601)
    tickCount = snapshot.tickCount
    lateness = snapshot.lastLateness?.seconds
    texts = [
      "ticks": snapshot.tickCount.grouped,
      "missed": snapshot.missedCount.grouped,
      "failures": snapshot.failureCount.grouped,
      "lateness": snapshot.lastLateness?.abbreviated ?? "–",
    ]
  }
}
