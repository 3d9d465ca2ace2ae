import Foundation
import TimerSchedulingCluster

/// The view of the jobs that replicas share, and of their last runs, as of the moment at which it was asked
/// for.
///
/// It needs no script. With one, it asks before acts that can't be taken back.
struct ClusterView {
  let look: ClusterLook
  let query: JobQuery
  let links: PageLinks

  /// The number of runs that the second table shows.
  private static let runCount = 20

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: jobs", prefix: "", script: Self.head).html)
    <body>
    \(links.header(title: "Jobs"))
    <main id="cluster">
    \(contents)
    </main>
    \(DialogsView.question)
    </body>
    </html>
    """
  }

  private static let head: HTML = """
    \(PageLinks.style(prefix: ""))
    \(DialogsView.script(prefix: ""))
    """

  private var contents: HTML {
    switch look {
    case .jobs(let page):
      """
      \(HTML(joining: page.pauses.map(pauseRow)))
      \(search)
      \(MeaningsView.jobs.html)
      \(jobTable(page))
      \(pages(next: page.next))
      \(pauseForm(isPaused: page.pauses.contains { $0.handler == nil }))
      \(dateForm)
      \(backfillForm)
      \(runTable(page.history))
      """
    case .failed(let reason):
      """
      <p role="status">The cluster's store can't be asked: \(DisplayName.text(for: reason, upTo: PastRun.maximumErrorLength))</p>
      """
    }
  }

  private func jobTable(_ page: ClusterLook.JobPage) -> HTML {
    table(id: "jobs", caption: caption(page), titles: Self.jobTitles, rows: page.jobs.map { cells($0, page) })
  }

  private func runTable(_ history: [ClusterRunRecord]) -> HTML {
    table(
      id: "runs", caption: "Last runs of all jobs", titles: Self.runTitles,
      rows: history.prefix(Self.runCount).map(cells))
  }

  private static let jobTitles = [
    "Job", "State", "Last run", "Next date", "Done", "Failed", "Missed", "Abandoned", "Actions",
  ]

  private static let runTitles = ["Job", "Date", "Attempt", "Replica", "Began", "Ended", "Outcome", "Error"]

  private func caption(_ page: ClusterLook.JobPage) -> String {
    guard let first = page.jobs.first, let last = page.jobs.last else { return "No job." }
    if query.after == nil, page.next == nil {
      return page.jobs.count == 1 ? "1 job." : "\(page.jobs.count) jobs."
    }
    return "Jobs \(DisplayName.text(for: first.name)) to \(DisplayName.text(for: last.name))."
  }

  /// Leads to the first page and to the next one. The store gives pages in the order of the names.
  private func pages(next: String?) -> HTML {
    guard query.after != nil || next != nil else { return "" }
    func link(_ after: String?, _ title: String, isThere: Bool) -> HTML {
      var query = query
      query.after = after
      return isThere ? "<a href=\"jobs\(query.text)\">\(title)</a>" : ""
    }
    return """
      <nav aria-label="Pages" id="pages">
      \(link(nil, "First page", isThere: query.after != nil))
      \(link(next, "Next page", isThere: next != nil))
      </nav>
      """
  }

  private func cells(_ job: ClusterJob, _ page: ClusterLook.JobPage) -> [HTML] {
    let counts = [job.doneCount, job.failedCount, job.missedCount, job.abandonedCount]
    let handler: HTML = job.handler.isEmpty ? "" : "<small>\(DisplayName.text(for: job.handler))</small>"
    let name: HTML = "<bdi>\(DisplayName.text(for: job.name))</bdi> \(handler)"
    return [name, state(job, page), lastRun(of: job, page), time(job.nextDate)]
      + counts.map { "\($0.grouped)" } + [actions(job)]
  }

  private func state(_ job: ClusterJob, _ page: ClusterLook.JobPage) -> HTML {
    let requests = job.requests.isEmpty ? "" : ", \(job.requests.count.grouped) asked for"
    guard job.isPaused else { return "\(activity(job, page))\(requests)" }
    let person = job.pausedBy.isEmpty ? "" : " by \(DisplayName.text(for: job.pausedBy))"
    let reason = job.pauseReason.isEmpty ? "" : ": \(DisplayName.text(for: job.pauseReason))"
    return "paused\(person)\(reason)\(requests)"
  }

  private func activity(_ job: ClusterJob, _ page: ClusterLook.JobPage) -> HTML {
    if let run = job.run {
      let lease =
        run.leaseLeft > .zero ? "\(run.leaseLeft.abbreviated) of its lease left" : "its lease has ended"
      return "running on \(DisplayName.text(for: run.replica)) since \(time(run.began)), \(lease)"
    }
    let isOverdue = page.troubles(of: job).contains(.overdue)
    if let retry = job.retry {
      let failure = DisplayName.text(for: retry.failure, upTo: PastRun.maximumErrorLength)
      let delay = isOverdue ? ", no replica has taken it" : ""
      return """
        <span data-failed="true">attempt \(retry.attempt.grouped) at \(time(retry.date))\(delay), after: \(failure)</span>
        """
    }
    if isOverdue {
      return "<span data-failed=\"true\">due since \(time(job.nextDate)), and no replica has taken it</span>"
    }
    return job.hasFailedForGood && job.requests.isEmpty
      ? "<span data-failed=\"true\">failed for good</span>" : "waiting"
  }

  /// The newest run, or the last date if the newest runs of the store have none of the job.
  private func lastRun(of job: ClusterJob, _ page: ClusterLook.JobPage) -> HTML {
    guard let run = page.last[job.name] else { return time(job.lastDate) }
    let hasFailed = run.outcome == .failed || run.outcome == .abandoned
    return """
      <span data-failed="\(hasFailed ? "true" : "false")">\(run.outcome.rawValue)\(length(of: run))</span> \(time(run.began))
      """
  }

  private func length(of run: ClusterRunRecord) -> String {
    guard let ended = run.ended else { return "" }
    return " in \(Duration.seconds(max(ended.timeIntervalSince(run.began), 0)).abbreviated)"
  }

  private func cells(_ run: ClusterRunRecord) -> [HTML] {
    let error = run.failure.map { DisplayName.text(for: $0, upTo: PastRun.maximumErrorLength) } ?? "–"
    return [
      "<bdi>\(DisplayName.text(for: run.job))</bdi>", time(run.scheduledDate), "\(run.attempt.grouped)",
      "\(DisplayName.text(for: run.replica))", time(run.began), time(run.ended),
      "\(run.outcome.rawValue)\(run.isAsked ? ", asked for" : "")", "\(error)",
    ]
  }

  func time(_ date: Date?) -> HTML { date.map { .time($0.formatted(.iso8601)) } ?? "–" }

  private static let numbers: Set = ["Done", "Failed", "Missed", "Abandoned", "Attempt"]

  private func table(id: String, caption: String, titles: [String], rows: [[HTML]]) -> HTML {
    let headers = titles.map { title -> HTML in
      "<th role=\"columnheader\" scope=\"col\"\(mark(of: title))>\(title)</th>"
    }
    return """
      <div class="table" role="region" aria-label="Table of \(id)" tabindex="0">
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
      "<td role=\"cell\"\(mark(of: title)) data-label=\"\(title)\">\(cell)</td>"
    }
    return """
      <tr role="row">
      <th role="rowheader" scope="row">\(cells[0])</th>
      \(HTML(joining: others))
      </tr>
      """
  }

  private func mark(of title: String) -> HTML { Self.numbers.contains(title) ? " class=\"number\"" : "" }
}
