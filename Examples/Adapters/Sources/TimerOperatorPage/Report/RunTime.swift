import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The run of a timer that is under way: since when, and whether it takes too long.
struct RunTime {
  let since: Date
  /// Whether the run goes on for longer than the timer's interval, or for longer than ten times its usual
  /// time.
  let isTooLong: Bool

  /// The time below which no run counts as too long by the usual time, which may be some microseconds.
  private static let leastLimit = Duration.seconds(1)

  /// Returns nil if no run is under way, or if its beginning isn't known.
  ///
  /// - Parameters:
  ///   - runs: A history's summary of the timer's runs. Nil without one.
  ///   - seen: Since when looks have seen the run.
  init?(of snapshot: TimerSnapshot, runs: RunSummary?, seen: (since: Date, now: Date)?) {
    guard snapshot.isRunning, let since = runs?.since ?? seen?.since else { return nil }
    let now = (runs?.since == nil ? seen?.now : runs?.now) ?? .distantPast
    self.since = since
    if let usual = runs?.usualTime, now.timeIntervalSince(since) > max(usual * 10, Self.leastLimit).seconds {
      isTooLong = true
    } else {
      isTooLong =
        snapshot.schedule.flatMap { ScheduleGap.next(of: $0, after: since) }.map { $0 < now } ?? false
    }
  }
}
