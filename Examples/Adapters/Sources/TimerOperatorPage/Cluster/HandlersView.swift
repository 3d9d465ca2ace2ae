import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The handlers: what is due, running, waiting for a retry and failed of each, and since when.
struct HandlersView {
  let overview: ClusterOverview
  /// The jobs that the page shows, whose handlers are listed without a backlog, too.
  let jobs: [ClusterJob]
  let query: JobQuery
  let formToken: String

  var html: HTML {
    let backlogs = Dictionary(uniqueKeysWithValues: overview.backlogs.map { ($0.handler, $0) })
    var names = Set(backlogs.keys).union(jobs.map(\.handler)).union(overview.pauses.compactMap(\.handler))
    if let handler = query.handler { names.insert(handler) }
    names.remove("")
    guard !names.isEmpty else { return "" }
    let rows = names.sorted(by: NameOrder.isBefore).map { name in
      TableView.Row(key: name, cells: cells(name, backlogs[name]))
    }
    return TableView(id: "handlers", caption: "Handlers", columns: Self.columns, rows: rows).html
  }

  private static let columns: [TableView.Column] = [
    "Handler", TableView.Column("Due", isNumber: true), TableView.Column("Running", isNumber: true),
    TableView.Column("Retrying", isNumber: true), TableView.Column("Failed", isNumber: true), "Oldest due",
    "Pause",
  ]

  private func cells(_ name: String, _ backlog: HandlerBacklog?) -> [HTML] {
    let mark: HTML = query.handler == name ? " aria-current=\"true\"" : ""
    let oldest = backlog?.oldestDue
    let isLate = oldest.map { $0 < overview.now - ClusterJob.overdueTime } ?? false
    let age = oldest.map { Duration.seconds(max(overview.now.timeIntervalSince($0), 0)).countdown }
    let since: HTML =
      age.map {
        "<span data-failed=\"\(isLate && backlog?.isPaused == false ? "true" : "false")\">\($0)</span>"
      }
      ?? "–"
    return [
      "<a href=\"\(address(name, nil))\"\(mark)><bdi>\(HTML.breakable(DisplayName.text(for: name)))</bdi></a>",
      count(name, .due, backlog?.dueCount, JobOrder(.next)), count(name, .running, backlog?.runningCount),
      count(name, .retrying, backlog?.retryingCount),
      count(name, .failed, backlog?.failedCount, JobOrder(.last, isDescending: true)), since, pause(name),
    ]
  }

  private func address(_ name: String, _ filter: JobFilter?, _ order: JobOrder? = nil) -> String {
    var only = JobQuery()
    (only.handler, only.filter, only.order) = (name, filter, order)
    return "jobs\(only.text)"
  }

  /// A count that leads to its jobs.
  private func count(
    _ name: String, _ filter: JobFilter, _ count: Int?, _ order: JobOrder? = nil
  ) -> HTML {
    guard let count, count > 0 else { return "0" }
    // The store counts no further.
    let text = count >= 10_000 ? "10,000 or more" : count.grouped
    let mark: HTML = filter == .failed || filter == .retrying ? " data-failed=\"true\"" : ""
    return "<a href=\"\(address(name, filter, order))\"\(mark)>\(text)</a>"
  }

  private func pause(_ name: String) -> HTML {
    HandlerPause(
      handler: name, isPaused: overview.pauses.contains { $0.handler == name },
      address: "pauses\(query.text)",
      formToken: formToken
    ).html
  }
}

/// The form that pauses a handler, or resumes it.
struct HandlerPause {
  let handler: String
  let isPaused: Bool
  let address: String
  let formToken: String

  var html: HTML {
    let (action, title): (PauseAction, String) =
      isPaused ? (.resumeHandler, "Resume the handler") : (.pauseHandler, "Pause the handler")
    let reason: HTML =
      isPaused
      ? "" : "<input name=\"reason\" placeholder=\"Reason\" aria-label=\"Reason of a pause\" size=\"9\">"
    return """
      <form method="post" action="\(address)" class="act">
      <input type="hidden" name="formToken" value="\(formToken)">
      <input type="hidden" name="handler" value="\(handler)">
      \(reason)
      <button name="action" value="\(action.rawValue)">\(title)</button>
      </form>
      """
  }
}
