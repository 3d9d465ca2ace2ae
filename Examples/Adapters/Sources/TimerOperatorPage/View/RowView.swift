/// A timer's row, or the template for one. The style sheet says what each column is called on narrow screens.
struct RowView {
  static let columnCount = 11

  let row: TimerRow?
  let query: TimerQuery
  /// The time on the clock of the page.
  let now: Duration
  let isOpen: Bool

  var html: HTML {
    """
    <tr role="row" data-key="\(key)" data-state="\(state)"\(mark)>
    <td role="cell" data-cell="select"><input type="checkbox" name="timer[]" value="\(key)" \
    aria-label="Select \(name)"></td>
    <th role="rowheader" scope="row" data-cell="name"><a href="timers\(detailsLink)" aria-expanded="\(isOpen.text)">\
    <bdi>\(name)</bdi></a> <small>\(row?.scheduler ?? "")</small></th>
    \(cell("schedule", row?.schedule))
    <td role="cell" data-cell="state"><span>\(state)</span>\(note)</td>
    <td role="cell" data-cell="next"><span>\(countdown)</span> \(row?.date.map(HTML.time) ?? "<time></time>")</td>
    <td role="cell" data-cell="last" data-failed="\((row?.hasLastFailed ?? false).text)"><span>\(row?.last ?? "–")</span> \
    \(row?.lastDate.map(HTML.time) ?? "<time></time>")</td>
    \(cell("ticks", row?.ticks))
    \(cell("missed", row?.missed))
    \(cell("failures", row?.failures))
    \(cell("lateness", row?.lateness))
    <td role="cell" data-cell="actions"><div>
    \(HTML(joining: TimerAction.allCases.map(button)))
    </div></td>
    </tr>
    """
  }

  private var key: String { row?.key ?? "" }
  private var name: String { row?.name ?? "" }
  private var state: String { row?.state ?? "" }

  private var mark: HTML { row?.mark.map { " data-mark=\"\($0.rawValue)\"" } ?? "" }

  private var note: HTML {
    guard let note = row?.note else { return "" }
    return " <small>\(note) \(row?.noteDate.map(HTML.time) ?? "")</small>"
  }

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

  private func cell(_ cell: String, _ text: String?) -> HTML {
    "<td role=\"cell\" data-cell=\"\(cell)\">\(text ?? "")</td>"
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
