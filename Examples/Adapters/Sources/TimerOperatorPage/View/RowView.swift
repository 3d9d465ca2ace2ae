/// A timer's row, or the template for one.
struct RowView {
  let row: TimerRow?
  let age: Duration

  var html: HTML {
    """
    <tr data-id="\(id)" data-state="\(state)">
    <th scope="row" data-cell="name"><bdi>\(name)</bdi></th>
    <td data-cell="state"><span>\(state)</span></td>
    <td data-cell="next"><span>\(countdown)</span> <time datetime="\(row?.nextDate ?? "")"></time></td>
    \(numberCell("ticks"))
    \(numberCell("missed"))
    \(numberCell("failures"))
    \(numberCell("lateness"))
    <td data-cell="chart"><svg viewBox="0 0 120 24" aria-hidden="true"><path/></svg></td>
    <td data-cell="actions">
    \(HTML(joining: TimerAction.allCases.map(button)))
    </td>
    </tr>
    """
  }

  private var id: String { row?.id ?? "" }
  private var name: String { row?.name ?? "" }
  private var state: String { row?.state ?? "" }

  private var countdown: String {
    guard let remaining = row?.remaining else { return "–" }
    let left = Duration.seconds(remaining)
    return state == "paused" ? "\(left.countdown) left" : (left - age).countdown
  }

  private func numberCell(_ cell: String) -> HTML {
    "<td data-cell=\"\(cell)\" class=\"number\">\(row?.texts[cell] ?? "")</td>"
  }

  private func button(for action: TimerAction) -> HTML {
    """
    <button data-action="\(action.rawValue)" formaction="/timers/\(id)/\(action.rawValue)" \
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

extension TimerAction {
  fileprivate var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .fire: "Fire"
    case .cancel: "Cancel"
    }
  }
}
