package import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A note beside a timer's state: since when its run goes on, who has paused it, or that its last run failed.
package struct RowNote: Sendable, Hashable {
  /// A reason to look at the timer.
  package enum Mark: String, Sendable, Encodable {
    /// A run goes on for longer than the timer's interval, or for longer than ten times its usual time.
    case late
    /// The last run has failed or, where the page has no history of it, any run.
    case failed
  }

  package let mark: Mark?
  package let text: String?
  package let date: Date?

  /// The time below which no run counts as too long by the usual time, which may be some microseconds.
  private static let leastLimit = Duration.seconds(1)

  /// - Parameters:
  ///   - runs: What the history knows of the timer's runs. Nil without one.
  ///   - seen: Since when looks have seen the run that goes on.
  ///   - pause: Who has paused the timer on the page, and when.
  package init(
    _ snapshot: TimerSnapshot, runs: RunSummary?, seen: (since: Date, now: Date)?,
    pause: (operatorName: String?, date: Date)?
  ) {
    let since = snapshot.isRunning ? runs?.since ?? seen?.since : nil
    let now = (runs?.since == nil ? seen?.now : runs?.now) ?? .distantPast
    let isLate =
      since.map { Self.isLate(since: $0, now: now, snapshot.schedule, usual: runs?.usualTime) } ?? false
    let hasFailed = runs?.hasLastFailed ?? (snapshot.failureCount > 0)
    let word = runs?.since == nil ? "seen since" : "since"
    if isLate {
      let run = snapshot.state == .paused ? "run too long" : "too long"
      (mark, text, date) = (.late, "\(run), \(word)", since)
    } else if snapshot.state == .paused {
      (mark, text, date) = (nil, pause.map { "by \($0.operatorName ?? "an operator")" }, pause?.date)
    } else if let since {
      (mark, text, date) = (hasFailed ? .failed : nil, word, since)
    } else if hasFailed {
      (mark, text, date) = (.failed, runs?.hasLastFailed == nil ? "has failed" : "last run failed", nil)
    } else {
      (mark, text, date) = (nil, nil, nil)
    }
  }

  private static func isLate(since: Date, now: Date, _ schedule: TimerSchedule?, usual: Duration?) -> Bool {
    if let usual, now.timeIntervalSince(since) > max(usual * 10, leastLimit).seconds { return true }
    return schedule.flatMap { ScheduleGap.next(of: $0, after: since) }.map { $0 < now } ?? false
  }
}
