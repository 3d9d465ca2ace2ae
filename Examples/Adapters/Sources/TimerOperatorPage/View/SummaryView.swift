/// A table with a row for each scheduler: its numbers, and a chart of its last hour.
struct SummaryView {
  let summaries: [SchedulerSummary]
  let query: TimerQuery

  var html: HTML {
    """
    <div class="table" role="region" aria-label="Table of schedulers" tabindex="0">
    <table role="table" id="schedulers">
    <caption>Schedulers</caption>
    <thead role="rowgroup">
    <tr role="row">
    <th role="columnheader" scope="col">Scheduler</th>
    \(HTML(joining: SchedulerSummary.titles.map(header)))
    <th role="columnheader" scope="col">Last hour: <span class="key lateness">lateness</span> \
    <span class="key run-time">run time</span></th>
    </tr>
    </thead>
    <tbody role="rowgroup">
    \(HTML(joining: summaries.map(row)))
    </tbody>
    </table>
    </div>
    """
  }

  private func header(_ title: String) -> HTML {
    "<th role=\"columnheader\" scope=\"col\" class=\"number\">\(title)</th>"
  }

  private func row(_ summary: SchedulerSummary) -> HTML {
    let link = query.with {
      $0.scheduler = summary.name
      $0.open = nil
    }
    let numbers = zip(SchedulerSummary.titles, summary.numbers).map { title, number -> HTML in
      "<td role=\"cell\" class=\"number\" data-label=\"\(title)\">\(number)</td>"
    }
    let mark: HTML = query.scheduler == summary.name ? " aria-current=\"true\"" : ""
    return """
      <tr role="row" data-scheduler="\(summary.name)">
      <th role="rowheader" scope="row"><a href="timers\(link.text)" data-only="\(summary.name)"\(mark)>\
      \(summary.name)</a></th>
      \(HTML(joining: numbers))
      <td role="cell" class="chart">\(summary.chart.map { ChartView(chart: $0).html } ?? "–")</td>
      </tr>
      """
  }
}
