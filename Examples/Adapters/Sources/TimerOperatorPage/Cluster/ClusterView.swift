import Foundation
import TimerSchedulingCluster

/// Two tables: the jobs that replicas share, and their last runs. They are as of the moment at which the page was asked for.
/// Search finds jobs, too.
struct ClusterView {
  let look: ClusterLook
  let query: TimerQuery
  let formToken: String

  var html: HTML {
    switch look {
    case .jobs(let jobs, let history, let pauses):
      """
      <section id="cluster" aria-label="Jobs of the cluster">
      \(HTML(joining: pauses.map(pauseRow)))
      \(pauseForm(isPaused: pauses.contains { $0.handler == nil }))
      \(table(id: "jobs", caption: caption(jobs.count), titles: Self.jobTitles, rows: jobs.map(cells)))
      \(dateForm)
      \(backfillForm)
      \(table(id: "runs", caption: "Last runs", titles: Self.runTitles, rows: history.map(cells)))
      </section>
      """
    case .failed(let reason):
      """
      <section id="cluster" aria-label="Jobs of the cluster">
      <p role="status">The cluster's store can't be asked: \(DisplayName.text(for: reason, upTo: PastRun.maximumErrorLength))</p>
      </section>
      """
    }
  }

  private static let jobTitles = [
    "Job", "State", "Last date", "Next date", "Replica", "Since", "Lease left", "Done", "Failed", "Missed",
    "Abandoned", "Actions",
  ]

  private static let runTitles = [
    "Job", "Date", "Attempt", "Replica", "Began", "Ended", "Outcome", "Error",
  ]

  private func caption(_ count: Int) -> String {
    count < ClusterLook.jobCount ? "Jobs of the cluster" : "The first \(count.grouped) jobs of the cluster"
  }

  /// A pause that is under way, with its end.
  private func pauseRow(_ pause: ClusterPause) -> HTML {
    let target = pause.handler.map { "The handler \(DisplayName.text(for: $0))" } ?? "The cluster"
    let person = pause.by.isEmpty ? "" : " by \(DisplayName.text(for: pause.by))"
    let reason = pause.reason.isEmpty ? "" : ": \(DisplayName.text(for: pause.reason))"
    let action: PauseAction = pause.handler == nil ? .resumeAll : .resumeHandler
    return """
      <form method="post" action="timers/pauses\(query.text)" class="pause">
      <input type="hidden" name="formToken" value="\(formToken)">
      <input type="hidden" name="handler" value="\(pause.handler ?? "")">
      <span>\(target) is paused\(person) since \(text(pause.date))\(reason)</span>
      <button name="action" value="\(action.rawValue)">Resume</button>
      </form>
      """
  }

  /// Pauses a handler or the cluster.
  private func pauseForm(isPaused: Bool) -> HTML {
    let all: HTML =
      isPaused ? "" : "<button name=\"action\" value=\"pauseAll\" formnovalidate>Pause the cluster</button>"
    return """
      <form method="post" action="timers/pauses\(query.text)" id="pauses">
      <input type="hidden" name="formToken" value="\(formToken)">
      <label>Handler <input name="handler" required></label>
      <label>Reason <input name="reason" size="12"></label>
      <button name="action" value="pauseHandler">Pause the handler</button>
      \(all)
      </form>
      """
  }

  /// Asks what became of a date.
  private var dateForm: HTML {
    """
    <form method="get" action="timers/date" id="explain">
    <label>Job <input name="job" required></label>
    <label>Date <input name="date" required placeholder="2026-01-31T09:30:00Z" size="22"></label>
    <button>Why did it run, or not?</button>
    </form>
    """
  }

  /// Asks for runs of a job's dates in a range.
  private var backfillForm: HTML {
    """
    <form method="post" action="timers/job\(query.text)" id="backfill">
    <input type="hidden" name="formToken" value="\(formToken)">
    <label>Job <input name="job" required></label>
    <label>From <input name="from" required placeholder="2026-01-31T09:30:00Z" size="22"></label>
    <label>To <input name="to" required placeholder="2026-01-31T10:30:00Z" size="22"></label>
    <button name="action" value="backfill">Run these dates</button>
    </form>
    """
  }

  private func cells(_ job: ClusterJob) -> [HTML] {
    let texts = [
      DisplayName.text(for: job.name), state(job),
      text(job.lastDate), text(job.nextDate), job.run.map { DisplayName.text(for: $0.replica) } ?? "–",
      text(job.run?.began),
      job.run.map { $0.leaseLeft > .zero ? $0.leaseLeft.abbreviated : "ended" } ?? "–", job.doneCount.grouped,
      job.failedCount.grouped, job.missedCount.grouped, job.abandonedCount.grouped,
    ]
    return texts.map { "\($0)" } + [actions(job)]
  }

  private func state(_ job: ClusterJob) -> String {
    let requests = job.requests.isEmpty ? "" : ", \(job.requests.count.grouped) asked for"
    guard job.isPaused else { return activity(job) + requests }
    let person = job.pausedBy.isEmpty ? "" : " by \(DisplayName.text(for: job.pausedBy))"
    let reason = job.pauseReason.isEmpty ? "" : ": \(DisplayName.text(for: job.pauseReason))"
    return "paused\(person)\(reason)\(requests)"
  }

  private func activity(_ job: ClusterJob) -> String {
    if job.run != nil { return "running" }
    if let retry = job.retry {
      let failure = DisplayName.text(for: retry.failure, upTo: PastRun.maximumErrorLength)
      return "attempt \(retry.attempt.grouped) at \(text(retry.date)), after: \(failure)"
    }
    return job.hasFailedForGood && job.requests.isEmpty ? "failed for good" : "waiting"
  }

  private func actions(_ job: ClusterJob) -> HTML {
    let reason: HTML =
      job.isPaused
      ? ""
      : "<input name=\"reason\" placeholder=\"Reason of a pause\" aria-label=\"Reason of a pause\" size=\"12\">"
    let buttons = JobAction.allCases.filter { $0.isOffered(for: job) }.map { action -> HTML in
      "<button name=\"action\" value=\"\(action.rawValue)\">\(action.title)</button>"
    }
    return """
      <form method="post" action="timers/job\(query.text)">
      <input type="hidden" name="formToken" value="\(formToken)">
      <input type="hidden" name="job" value="\(job.name)">
      \(reason)
      \(HTML(joining: buttons))
      </form>
      """
  }

  private func cells(_ run: ClusterRunRecord) -> [HTML] {
    [
      DisplayName.text(for: run.job), text(run.scheduledDate), run.attempt.grouped,
      DisplayName.text(for: run.replica), text(run.began), text(run.ended),
      run.outcome.rawValue + (run.isAsked ? ", asked for" : ""),
      run.failure.map { DisplayName.text(for: $0, upTo: PastRun.maximumErrorLength) } ?? "–",
    ].map { "\($0)" }
  }

  /// A date in Universal Time.
  private func text(_ date: Date?) -> String { date?.formatted(.iso8601) ?? "–" }

  private func table(id: String, caption: String, titles: [String], rows: [[HTML]]) -> HTML {
    let headers = titles.map { title -> HTML in
      "<th role=\"columnheader\" scope=\"col\">\(title)</th>"
    }
    return """
      <div class="table" role="region" aria-label="Table: \(caption)" tabindex="0">
      <table role="table" id="\(id)">
      <caption>\(caption)</caption>
      <thead role="rowgroup">
      <tr role="row">
      \(HTML(joining: headers))
      </tr>
      </thead>
      <tbody role="rowgroup">
      \(HTML(joining: rows.map { row($0, titles) }))
      </tbody>
      </table>
      </div>
      """
  }

  private func row(_ cells: [HTML], _ titles: [String]) -> HTML {
    let others = zip(titles, cells).dropFirst().map { title, cell -> HTML in
      "<td role=\"cell\" data-label=\"\(title)\">\(cell)</td>"
    }
    return """
      <tr role="row">
      <th role="rowheader" scope="row">\(cells[0])</th>
      \(HTML(joining: others))
      </tr>
      """
  }
}
