import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of a job and the end of its last run, in words.
struct JobWords {
  let job: ClusterJob
  /// The record of its newest run. Nil if it isn't known.
  let last: ClusterRunRecord?
  let pauses: [ClusterPause]
  let now: Date
  /// The greatest length of an error.
  var errorLength = 300

  /// The state of the job, since when, and why.
  var state: HTML {
    let requests = job.requests.isEmpty ? "" : ", \(job.requests.count.grouped) asked for"
    guard job.isPaused else { return "\(activity)\(requests)" }
    let person = job.pausedBy.isEmpty ? "" : " by \(DisplayName.text(for: job.pausedBy))"
    let reason =
      job.pauseReason.isEmpty ? "" : ": \(DisplayName.text(for: job.pauseReason, upTo: errorLength))"
    let run: HTML = job.run == nil ? "" : ", \(activity)"
    return "paused\(person)\(reason)\(run)\(requests)"
  }

  private var activity: HTML {
    if let run = job.run {
      let lease =
        run.leaseLeft > .zero ? "\(run.leaseLeft.abbreviated) of its lease left" : "its lease has ended"
      return "running on \(DisplayName.text(for: run.replica)) since \(Self.time(run.began)), \(lease)"
    }
    let isOverdue = job.isOverdue(at: now, pauses: pauses)
    if let retry = job.retry {
      let delay = isOverdue ? ", no replica has taken it" : ""
      return """
        <span data-failed="true">attempt \(retry.attempt.grouped) at \(Self.time(retry.date))\(delay), \
        after: \(error(retry.failure))</span>
        """
    }
    if isOverdue {
      return """
        <span data-failed="true">due since \(Self.time(job.nextDate)), and no replica has taken it</span>
        """
    }
    switch job.state {
    case .failed where job.requests.isEmpty:
      return "<span data-failed=\"true\">failed for good\(lastError)</span>"
    case .due: return "due since \(Self.time(job.nextDate))"
    case .failed, .waiting, .running, .retrying, .paused: return "waiting"
    }
  }

  private var lastError: String {
    guard let last, last.hasFailed else { return "" }
    if let failure = last.failure { return ": \(error(failure))" }
    return last.outcome == .abandoned ? ": abandoned by \(DisplayName.text(for: last.replica))" : ""
  }

  /// The newest run, or the last date if that run isn't known.
  var lastRun: HTML {
    guard let last else { return Self.time(job.lastDate) }
    // A job that has failed for good has its error beside its state.
    var failure: HTML = ""
    if job.state != .failed, last.hasFailed, let text = last.failure {
      failure = " <span data-failed=\"true\">\(error(text))</span>"
    }
    return """
      <span data-failed="\(last.hasFailed ? "true" : "false")">\(last.outcome.rawValue)\(Self.length(of: last))</span> \
      \(Self.time(last.began))\(failure)
      """
  }

  private func error(_ text: String) -> String { DisplayName.text(for: text, upTo: errorLength) }

  /// The duration of a run, after a space. Empty for one that is under way.
  static func length(of run: ClusterRunRecord) -> String {
    guard let ended = run.ended else { return "" }
    return " in \(Duration.seconds(max(ended.timeIntervalSince(run.began), 0)).abbreviated)"
  }

  static func time(_ date: Date?) -> HTML { date.map { .time(TimerRow.text(of: $0)) } ?? "–" }
}
