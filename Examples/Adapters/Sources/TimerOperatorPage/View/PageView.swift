/// The page, as it is without a script. The script fills the same rows, from the template, with what events say.
struct PageView {
  let report: TimerReport
  let age: Duration
  let formToken: String
  let asksForToken: Bool

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Timers</title>
    <link rel="stylesheet" href="/timers/page.css">
    <script src="/timers/page.js" defer></script>
    </head>
    <body>
    <form method="post" action="/timers">
    <header>
    <h1>Timers</h1>
    <p id="status" role="status"></p>
    \(tokenField)
    </header>
    <!-- The Enter key presses a form's first button. Without this one, that is the first timer's. -->
    <button type="submit" disabled hidden></button>
    <input type="hidden" name="formToken" value="\(formToken)">
    <dl id="totals">
    \(HTML(joining: report.totals.map(view)))
    </dl>
    <div class="table">
    <table>
    <thead>
    <tr>
    <th scope="col">Timer</th>
    <th scope="col">State</th>
    <th scope="col">Next</th>
    <th scope="col" class="number">Ticks</th>
    <th scope="col" class="number">Missed</th>
    <th scope="col" class="number">Failures</th>
    <th scope="col" class="number">Lateness</th>
    <th scope="col" title="A bar for each, on a logarithmic scale from 10 µs to 10 s">Recent</th>
    <th scope="col">Actions</th>
    </tr>
    </thead>
    <tbody id="rows">
    \(HTML(joining: report.rows.map { RowView(row: $0, age: age).html }))
    </tbody>
    </table>
    </div>
    <p id="remainder">\(Self.remainder(report.remainder))</p>
    </form>
    <template id="row">\(RowView(row: nil, age: .zero).html)</template>
    </body>
    </html>
    """
  }

  private var tokenField: HTML {
    guard asksForToken else { return "" }
    return """
      <label>Admin token <input type="password" name="token" autocomplete="current-password" size="16"></label>
      """
  }

  private func view(of total: Total) -> HTML {
    "<div><dt>\(total.name)</dt><dd>\(total.text)</dd></div>"
  }

  /// Says how many timers there are that have no row.
  static func remainder(_ count: Int) -> String {
    switch count {
    case 0: ""
    case 1: "And 1 more timer."
    default: "And \(count.grouped) more timers."
    }
  }
}
