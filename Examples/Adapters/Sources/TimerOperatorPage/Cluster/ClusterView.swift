import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The view of the jobs that replicas share: what each handler has to do, the replicas, the jobs, and the
/// last runs.
///
/// It needs no script. With one, it is live, asks before acts that can't be taken back, and says how work on
/// many jobs goes on.
struct ClusterView {
  let answer: ClusterFeed.Answer
  let query: JobQuery
  let links: PageLinks
  /// The time on the clock of the page.
  let now: Duration
  /// The work on many jobs. Nil for visitors who may only look.
  let works: [BulkWork<JobAction>]?

  /// The number of runs that the last table shows.
  private static let runCount = 20

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: jobs", prefix: "", script: Self.head).html)
    <body>
    \(links.header(title: "Jobs", status: PageView.status))
    <main id="cluster" data-age="\(String((now - answer.time).seconds))">
    \(HealthView(health: answer.look.health, prefix: "../").html)
    \(contents)
    </main>
    \(DialogsView(keys: DialogsView.jobKeys).html)
    </body>
    </html>
    """
  }

  static let head: HTML = """
    \(PageLinks.style(prefix: ""))
    \(DialogsView.script(prefix: ""))
    <script src="work.js" defer></script>
    <script src="jobs.js" defer></script>
    """

  private var contents: HTML {
    switch answer.look {
    case .answered(let overview, let list):
      """
      \(HTML(joining: overview.pauses.map(pauseRow)))
      \(worksView)
      \(HandlersView(overview: overview, jobs: list.jobs, query: query, formToken: links.formToken).html)
      \(overview.day.html)
      \(search)
      \(bulk)
      \(MeaningsView.jobs.html)
      \(jobTable(overview, list))
      \(pages(list))
      \(ReplicasView(replicas: overview.replicas).html)
      \(RunsView(runs: overview.history.prefix(Self.runCount), query: query).html)
      \(pauseForm(isPaused: overview.pauses.contains { $0.handler == nil }))
      """
    case .failed(let reason):
      """
      <p role="status">The cluster's store can't be asked: \(DisplayName.text(for: reason, upTo: PastRun.maximumErrorLength))</p>
      """
    }
  }

  private var worksView: HTML {
    WorksView(works: works ?? [], formToken: links.formToken) { number, change in
      "work\(query.text)\(query.text.isEmpty ? "?" : "&")work=\(number)&change=\(change)"
    }.html
  }

  // MARK: Jobs

  private func jobTable(_ overview: ClusterOverview, _ list: JobList) -> HTML {
    let rows = list.jobs.map { job -> TableView.Row in
      let words = JobWords(
        job: job, last: overview.last[job.name] ?? list.older[job.name]?.run, pauses: overview.pauses,
        now: overview.now)
      let counts = [job.doneCount, job.failedCount, job.missedCount, job.abandonedCount]
      return TableView.Row(
        key: job.name, state: job.state.rawValue, box: box(for: job),
        cells: [name(of: job), words.state, words.lastRun, JobWords.time(job.nextDate)]
          + counts.map { "\($0.grouped)" } + [actions(job)])
    }
    return TableView(
      id: "jobs", caption: "\(caption(list))", columns: columns, rows: rows, box: Self.wholePage
    ).html
  }

  private static let wholePage: HTML =
    "<input type=\"checkbox\" id=\"whole-page\" aria-label=\"Select all jobs on this page\" hidden>"

  private func box(for job: ClusterJob) -> HTML {
    """
    <input type="checkbox" name="name[]" value="\(job.name)" form="bulk" \
    aria-label="Select \(DisplayName.text(for: job.name))">
    """
  }

  private func name(of job: ClusterJob) -> HTML {
    var only = JobQuery()
    only.handler = job.handler
    let handler: HTML =
      job.handler.isEmpty
      ? "" : "<small><a href=\"jobs\(only.text)\">\(DisplayName.text(for: job.handler))</a></small>"
    return """
      <a href="\(query.address(of: job.name))"><bdi>\(HTML.breakable(DisplayName.text(for: job.name)))</bdi></a> \(handler)
      """
  }

  private var columns: [TableView.Column] {
    func column(_ title: String, _ column: JobOrder.Column, isNumber: Bool = false) -> TableView.Column {
      let isSorted = query.order?.column == column
      let direction = isSorted ? (query.order?.isDescending == true ? "descending" : "ascending") : "none"
      let sorted = query.with { $0.order = .pressing(column, in: query.order) }
      return TableView.Column(title, isNumber: isNumber, sort: ("jobs\(sorted.text)", direction))
    }
    return [
      column("Job", .name), "State", column("Last run", .last), column("Next date", .next),
      TableView.Column("Done", isNumber: true), column("Failed", .failed, isNumber: true),
      TableView.Column("Missed", isNumber: true), TableView.Column("Abandoned", isNumber: true), "Actions",
    ]
  }

  private func caption(_ list: JobList) -> String {
    guard let first = list.jobs.first, let last = list.jobs.last else { return "No job." }
    if let sorted = list.sorted {
      let more = sorted.hasMore ? " Of more jobs, these are the first \(sorted.count.grouped) by name." : ""
      let start = (sorted.page - 1) * JobQuery.pageSize
      guard sorted.pageCount > 1 else { return "\(JobAction.text(sorted.count))." }
      return
        "Jobs \((start + 1).grouped) to \((start + list.jobs.count).grouped) of \(sorted.count.grouped).\(more)"
    }
    if query.after == nil, list.next == nil { return "\(JobAction.text(list.jobs.count))." }
    return "Jobs \(DisplayName.text(for: first.name)) to \(DisplayName.text(for: last.name))."
  }

  /// Leads to the pages before and after. In the store's order there is only the first and the next.
  private func pages(_ list: JobList) -> HTML {
    var links: [HTML] = []
    func add(_ title: String, _ change: (inout JobQuery) -> Void) {
      let page = query.with(change)
      links.append("<a data-key=\"\(title)\" href=\"jobs\(page.text)\">\(title)</a>")
    }
    if let sorted = list.sorted {
      if sorted.page > 1 { add("Previous page") { $0.page = sorted.page - 1 } }
      if sorted.page < sorted.pageCount { add("Next page") { $0.page = sorted.page + 1 } }
    } else {
      if query.after != nil { add("First page") { _ in } }
      if let next = list.next { add("Next page") { $0.after = next } }
    }
    guard !links.isEmpty else { return "" }
    return """
      <nav aria-label="Pages" id="pages">
      \(HTML(joining: links))
      </nav>
      """
  }
}
