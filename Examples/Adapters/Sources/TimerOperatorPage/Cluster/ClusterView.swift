import Foundation
import TimerSchedulingCluster

/// Two tables: the jobs that replicas share, and their last runs. They are as of the moment at which the page was asked for.
struct ClusterView {
  let look: ClusterLook

  var html: HTML {
    switch look {
    case .jobs(let jobs, let history):
      """
      <section id="cluster" aria-label="Jobs of the cluster">
      \(table(id: "jobs", caption: "Jobs of the cluster", titles: Self.jobTitles, rows: jobs.map(cells)))
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
    "Abandoned",
  ]

  private static let runTitles = [
    "Job", "Date", "Attempt", "Replica", "Began", "Ended", "Outcome", "Error",
  ]

  private func cells(_ job: ClusterJob) -> [String] {
    [
      DisplayName.text(for: job.name), job.isPaused ? "paused" : job.run == nil ? "waiting" : "running",
      text(job.lastDate), text(job.nextDate), job.run.map { DisplayName.text(for: $0.replica) } ?? "–",
      text(job.run?.began),
      job.run.map { $0.leaseLeft > .zero ? $0.leaseLeft.abbreviated : "ended" } ?? "–", job.doneCount.grouped,
      job.failedCount.grouped, job.missedCount.grouped, job.abandonedCount.grouped,
    ]
  }

  private func cells(_ run: ClusterRunRecord) -> [String] {
    [
      DisplayName.text(for: run.job), text(run.scheduledDate), run.attempt.grouped,
      DisplayName.text(for: run.replica), text(run.began), text(run.ended), run.outcome.rawValue,
      run.failure.map { DisplayName.text(for: $0, upTo: PastRun.maximumErrorLength) } ?? "–",
    ]
  }

  /// A date in Universal Time.
  private func text(_ time: StoreTime?) -> String { time?.date.formatted(.iso8601) ?? "–" }

  private func table(id: String, caption: String, titles: [String], rows: [[String]]) -> HTML {
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

  private func row(_ cells: [String], _ titles: [String]) -> HTML {
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
