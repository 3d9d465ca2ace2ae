/// A timer's row, or the template for one.
struct RowView {
  static let columnCount = 10

  let row: TimerRow?
  let query: TimerQuery
  /// The time on the clock of the page.
  let now: Duration
  let isOpen: Bool

  var html: HTML {
    """
    <tr role="row" data-key="\(key)" data-state="\(state)">
    <td role="cell" data-cell="select"><input type="checkbox" name="timer[]" value="\(key)" \
    aria-label="Select \(name)"></td>
    <th role="rowheader" scope="row" data-cell="name"><a href="timers\(detailsLink)" aria-expanded="\(isOpen.text)">\
    <bdi>\(name)</bdi></a> <small>\(row?.scheduler ?? "")</small></th>
    \(cell("schedule", "Schedule", row?.schedule))
    <td role="cell" data-cell="state" data-label="State"><span>\(state)</span></td>
    <td role="cell" data-cell="next" data-label="Next"><span>\(countdown)</span> \
    <time datetime="\(row?.date ?? "")">\(row?.date ?? "")</time></td>
    \(cell("ticks", "Ticks", row?.ticks, isNumber: true))
    \(cell("missed", "Missed", row?.missed, isNumber: true))
    \(cell("failures", "Failures", row?.failures, isNumber: true))
    \(cell("lateness", "Lateness", row?.lateness, isNumber: true))
    <td role="cell" data-cell="actions">
    \(HTML(joining: TimerAction.allCases.map(button)))
    </td>
    </tr>
    """
  }

  private var key: String { row?.key ?? "" }
  private var name: String { row?.name ?? "" }
  private var state: String { row?.state ?? "" }

  /// Opens the details, or closes them.
  private var detailsLink: String {
    var query = query
    query.open = isOpen ? nil : TimerKey(key)
    return query.text
  }

  private var countdown: String {
    if let left = row?.left { return "\(Duration.seconds(left).countdown) left" }
    return row?.due.map { (Duration.seconds($0) - now).countdown } ?? "–"
  }

  private func cell(_ cell: String, _ label: String, _ text: String?, isNumber: Bool = false) -> HTML {
    let number: HTML = isNumber ? " class=\"number\"" : ""
    return "<td role=\"cell\" data-cell=\"\(cell)\" data-label=\"\(label)\"\(number)>\(text ?? "")</td>"
  }

  private func button(for action: TimerAction) -> HTML {
    """
    <button data-action="\(action.rawValue)" formaction="timers/\(key)/\(action.rawValue)\(query.text)" \
    aria-label="\(action.title) \(name)"\(isUseful(action) ? "" : " disabled")>\(action.title)</button>
    """
  }

  private func isUseful(_ action: TimerAction) -> Bool {
    switch action {
    case .pause, .fire: state != "paused"
    case .resume: state == "paused"
    case .cancel: true
    }
  }
}

extension Bool {
  fileprivate var text: String { self ? "true" : "false" }
}
