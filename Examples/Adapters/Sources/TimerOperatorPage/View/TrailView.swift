#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page of what operators have done. It needs no script.
struct TrailView {
  let entries: [AuditTrail.Entry]
  let failedLogins: AuditTrail.FailedLogins
  let links: PageLinks

  private static let titles = ["When", "Who", "From", "What", "Timers", "How many", "Outcome"]

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: audit trail", prefix: "").html)
    <body>
    \(links.header(title: "Audit trail"))
    <main>
    <p id="failed-logins">\(logins)</p>
    <div class="table" role="region" aria-label="Audit trail" tabindex="0">
    <table id="trail">
    <caption>\(entries.isEmpty ? "No action since the server's start." : "The last actions, the newest first.")</caption>
    <thead><tr>\(HTML(joining: Self.titles.map(header)))</tr></thead>
    <tbody>
    \(HTML(joining: entries.map(row)))
    </tbody>
    </table>
    </div>
    </main>
    </body>
    </html>
    """
  }

  private var logins: HTML {
    guard let last = failedLogins.last else { return "No login has failed since the server's start." }
    let count = failedLogins.count == 1 ? "1 login has" : "\(failedLogins.count.grouped) logins have"
    return """
      \(count) failed since the server's start. The last was at \(HTML.time(TimerRow.text(of: last))) \
      from \(failedLogins.lastClient).
      """
  }

  private func header(_ title: String) -> HTML { "<th scope=\"col\">\(title)</th>" }

  private func cell(_ text: String) -> HTML { "<td>\(text)</td>" }

  private func row(_ entry: AuditTrail.Entry) -> HTML {
    let cells = [
      entry.operatorName ?? "–", entry.client, entry.action, entry.timers, entry.count?.grouped ?? "",
      entry.outcome,
    ]
    return "<tr><td>\(HTML.time(TimerRow.text(of: entry.date)))</td>\(HTML(joining: cells.map(cell)))</tr>"
  }
}
