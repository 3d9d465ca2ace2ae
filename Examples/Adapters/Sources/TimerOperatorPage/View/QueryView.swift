/// The form with which an operator searches and filters. It works without a script, as its fields become the
/// address.
struct QueryView {
  let query: TimerQuery
  let schedulers: [String]

  var html: HTML {
    """
    <search>
    <form method="get" action="timers" id="query">
    <label>Search <input type="search" name="q" value="\(query.search)" maxlength="200" \
    placeholder="Name, or # and number"></label>
    \(schedulerField)
    <label>State <select name="state">
    <option value="">All</option>
    \(HTML(joining: StateFilter.allCases.map(option)))
    </select></label>
    <input type="hidden" name="sort" value="\(query.order.description)">
    <button type="submit">Show</button>
    </form>
    </search>
    """
  }

  private var schedulerField: HTML {
    guard schedulers.count > 1 else { return "" }
    let options = schedulers.map { name -> HTML in
      "<option value=\"\(name)\"\(name == query.scheduler ? " selected" : "")>\(name)</option>"
    }
    return """
      <label>Scheduler <select name="scheduler">
      <option value="">All</option>
      \(HTML(joining: options))
      </select></label>
      """
  }

  private func option(_ state: StateFilter) -> HTML {
    "<option value=\"\(state.rawValue)\"\(state == query.state ? " selected" : "")>\(state.title)</option>"
  }
}
