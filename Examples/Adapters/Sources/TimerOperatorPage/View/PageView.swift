/// The page, as it is without a script. The script fills the same rows, from the template, with what events
/// say.
struct PageView {
  let query: TimerQuery
  let links: PageLinks
  let schedulers: [String]
  let report: TimerReport
  /// The time on the clock of the page.
  let now: Duration
  let details: DetailsView?
  /// The troubles of the timers and of the cluster's jobs.
  let health: Health
  /// The work on many timers. Nil for visitors who may only look.
  let works: [BulkWork<TimerAction>]?

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers", prefix: "timers/", script: Self.script).html)
    <body>
    \(links.header(title: "Timers", status: Self.status))
    <main>
    \(HealthView(health: health, query: query).html)
    \(worksView.html)
    \(SummaryView(summaries: report.summaries, query: query).html)
    \(QueryView(query: query, schedulers: schedulers).html)
    <form method="post" action="timers/selected/pause\(query.text)" id="actions">
    <!-- The Enter key presses a form's first button. Without this one, that is the first of those below. -->
    <button type="submit" disabled hidden></button>
    <input type="hidden" name="formToken" value="\(links.formToken)">
    \(BulkView(query: query, matchCount: report.position.matchCount).html)
    \(MeaningsView.timers.html)
    <div class="table" role="region" aria-label="Table of timers" tabindex="0">
    <table role="table" id="timers">
    <caption id="position">\(report.position.text)</caption>
    <thead role="rowgroup">
    <tr role="row">
    <td role="cell"><input type="checkbox" id="whole-page" aria-label="Select all timers on this page" hidden></td>
    \(HTML(joining: headers))
    <th role="columnheader" scope="col">Actions</th>
    </tr>
    </thead>
    <tbody id="rows" role="rowgroup">
    \(HTML(joining: report.rows.map(view)))
    </tbody>
    </table>
    </div>
    </form>
    \(pages)
    </main>
    \(DialogsView().html)
    <template id="row">\(RowView(row: nil, query: query, now: now, isOpen: false).html)</template>
    </body>
    </html>
    """
  }

  private var worksView: WorksView<TimerAction> {
    WorksView(works: works ?? [], formToken: links.formToken) { number, change in
      "timers/selected/work/\(number)/\(change)\(query.text)"
    }
  }

  /// Whether the page is live, what has come of an action, and a button to stop or undo it.
  static let status: HTML = """
    <p id="live" role="status"></p>
    <p id="status" role="status"></p>
    <button type="button" id="change" hidden></button>
    """
  private static let script: HTML = """
    \(DialogsView.script(prefix: "timers/"))
    <script src="timers/work.js" defer></script>
    <script src="timers/page.js" defer></script>
    """

  private var headers: [HTML] {
    let order = RowOrder.Column.allCases.map { column -> HTML in
      let isSorted = query.order.column == column
      let direction = isSorted ? (query.order.isDescending ? "descending" : "ascending") : "none"
      let link = query.with { $0.order = $0.order.pressing(column) }
      let number: HTML = column.isNumber ? " class=\"number\"" : ""
      return """
        <th role="columnheader" scope="col" aria-sort="\(direction)"\(number)>\
        <a href="timers\(link.text)" data-sort="\(column.rawValue)">\(column.title)</a></th>
        """
    }
    // The schedule comes after the name, and the last run after the next date.
    return [order[0], header("Schedule")] + order[1...2] + [header("Last run")] + order.dropFirst(3)
  }

  private func header(_ title: String) -> HTML { "<th role=\"columnheader\" scope=\"col\">\(title)</th>" }

  private func view(_ row: TimerRow) -> HTML {
    let isOpen = query.open?.description == row.key
    let view = RowView(row: row, query: query, now: now, isOpen: isOpen)
    guard isOpen, let details else { return view.html }
    return """
      \(view.html)
      <tr role="row" class="details" data-of="\(row.key)"><td role="cell" colspan="\(String(RowView.columnCount))">
      \(details.html)
      </td></tr>
      """
  }

  private var pages: HTML {
    let position = report.position
    func link(_ page: Int, _ title: String, _ relation: String) -> HTML {
      let isThere = page >= 1 && page <= position.pageCount
      return """
        <a rel="\(relation)" href="timers\(query.with { $0.page = page }.text)"\(isThere ? "" : " hidden")>\(title)</a>
        """
    }
    return """
      <nav aria-label="Pages" id="pages">
      \(link(position.page - 1, "Previous", "prev"))
      <span>Page <span id="page">\(position.page.grouped)</span> of \
      <span id="page-count">\(position.pageCount.grouped)</span></span>
      \(link(position.page + 1, "Next", "next"))
      </nav>
      """
  }
}

extension RowOrder.Column {
  fileprivate var isNumber: Bool {
    switch self {
    case .ticks, .missed, .failures, .lateness: true
    case .name, .state, .next: false
    }
  }
}
