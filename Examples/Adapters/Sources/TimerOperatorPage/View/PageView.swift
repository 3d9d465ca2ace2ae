/// The page, as it is without a script. The script fills the same rows, from the template, with what events say.
struct PageView {
  /// The part of the page on which operators log in and out.
  enum Login {
    /// No token is asked for.
    case none
    /// The visitor may look, and has to log in to act.
    case offered
    case made(operatorName: String)
  }

  let query: TimerQuery
  let schedulers: [String]
  let report: TimerReport
  /// The time on the clock of the page.
  let now: Duration
  let details: DetailsView?
  let cluster: ClusterView?
  /// The work on many timers. Nil for visitors who may only look.
  let works: [BulkWork]?
  let formToken: String
  let login: Login

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers", prefix: "timers/", script: Self.script).html)
    <body>
    <header>
    <h1>Timers</h1>
    <p id="live" role="status"></p>
    <p id="status" role="status"></p>
    \(PageLinks(current: .timers, query: query, prefix: "").html)
    <button type="button" id="change" hidden></button>
    \(works.map { _ in Self.trailLink } ?? "")
    \(loginState)
    </header>
    <main>
    \(WorksView(works: works ?? [], query: query, formToken: formToken).html)
    \(SummaryView(summaries: report.summaries, query: query).html)
    \(QueryView(query: query, schedulers: schedulers).html)
    <form method="post" action="timers/selected/pause\(query.text)" id="actions">
    <!-- The Enter key presses a form's first button. Without this one, that is the first of those below. -->
    <button type="submit" disabled hidden></button>
    <input type="hidden" name="formToken" value="\(formToken)">
    \(BulkView(query: query, matchCount: report.position.matchCount).html)
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
    \(cluster?.html ?? "")
    </main>
    \(DialogsView().html)
    <template id="row">\(RowView(row: nil, query: query, now: now, isOpen: false).html)</template>
    </body>
    </html>
    """
  }

  private static let trailLink: HTML = "<a href=\"timers/trail\">Audit trail</a>"
  private static let script: HTML = "<script src=\"timers/page.js\" defer></script>"

  private var loginState: HTML {
    switch login {
    case .none: ""
    case .offered: "<a id=\"login\" href=\"timers/login\(query.text)\">Log in</a>"
    case .made(let name):
      """
      <form method="post" action="timers/logout\(query.text)" id="logout">
      <input type="hidden" name="formToken" value="\(formToken)">
      <span id="operator">\(name)</span> <button>Log out</button>
      </form>
      """
    }
  }

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
    return [order[0], "<th role=\"columnheader\" scope=\"col\">Schedule</th>"] + order.dropFirst()
  }

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
