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

  /// - Parameters:
  ///   - runs: The history's summary of the timer's runs. Nil without one.
  ///   - seen: Since when looks have seen the run that goes on.
  ///   - pause: Who has paused the timer on the page, and when.
  package init(
    _ snapshot: TimerSnapshot, runs: RunSummary?, seen: (since: Date, now: Date)?,
    pause: (operatorName: String?, date: Date)?
  ) {
    let run = RunTime(of: snapshot, runs: runs, seen: seen)
    let since = run?.since
    let hasFailed = snapshot.hasFailed(by: runs)
    let word = runs?.since == nil ? "seen since" : "since"
    if run?.isTooLong == true {
      let what = snapshot.state == .paused ? "run too long" : "too long"
      (mark, text, date) = (.late, "\(what), \(word)", since)
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
}
