import TimerScheduling

/// The page of what the schedulers themselves do.
package struct SchedulersView {
  let reports: [SchedulerReport]
  let links: PageLinks
  let health: Health
  let load: (waitingRunCount: Int, blockedCount: Int)

  package init(
    reports: [SchedulerReport], links: PageLinks, health: Health = Health(),
    load: (waitingRunCount: Int, blockedCount: Int) = TimerScheduler.sharedThreads
  ) {
    self.reports = reports
    self.links = links
    self.health = health
    self.load = load
  }

  package var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: schedulers", prefix: "", script: PageLinks.style(prefix: "")).html)
    <body>
    \(links.header(title: "Schedulers"))
    <main>
    \(HealthView(health: health, prefix: "../").html)
    <p id="threads">\(threads)</p>
    \(HTML(joining: reports.map(section)))
    </main>
    </body>
    </html>
    """
  }

  /// The runs that wait, and the threads that are blocked, of all schedulers of the process.
  private var threads: String {
    let (waiting, blocked) = load
    let runs = waiting == 0 ? "No run waits" : waiting == 1 ? "1 run waits" : "\(waiting.grouped) runs wait"
    let actions =
      blocked == 0
      ? "no action blocks one" : blocked == 1 ? "1 is blocked" : "\(blocked.grouped) are blocked"
    return "\(runs) for a thread, and \(actions). All schedulers of the process share the threads."
  }

  private func section(of report: SchedulerReport) -> HTML {
    """
    <section aria-label="\(report.name)">
    <h2>\(report.name)</h2>
    <div class="sections">
    \(numbers(of: report.statistics))
    \(report.latenesses.map(histogram) ?? "<p>The scheduler has no history, so it has no histogram.</p>")
    \(report.latenesses == nil ? "" : slowest(of: report))
    </div>
    </section>
    """
  }

  // MARK: Numbers

  private func numbers(of statistics: TimerStatistics) -> HTML {
    let lateness = statistics.lateness
    let rows: [(title: String, value: String)] = [
      ("Active timers", statistics.activeCount.grouped), ("Paused timers", statistics.pausedCount.grouped),
      ("Runs under way", statistics.runningCount.grouped), ("Ticks", statistics.tickCount.grouped),
      ("Wakeups", statistics.wakeupCount.grouped), ("Wakeups for 100 ticks", Self.wakeups(of: statistics)),
      ("Missed deadlines", statistics.missedCount.grouped), ("Failures", statistics.failureCount.grouped),
      ("Dropped events", statistics.droppedEventCount.grouped),
      ("Lateness of half of the firings", "up to \(lateness.p50.abbreviated)"),
      ("Lateness of 99 of 100", "up to \(lateness.p99.abbreviated)"),
      ("Greatest lateness", lateness.max.abbreviated),
    ]
    let items = rows.map { title, value -> HTML in
      "<tr><th scope=\"row\">\(title)</th><td class=\"number\">\(value)</td></tr>"
    }
    let warning: HTML =
      statistics.droppedEventCount == 0
      ? ""
      : """
      <p role="note">An observer was too slow for \(statistics.droppedEventCount.grouped) events, so the history lacks \
      some ticks and ends.</p>
      """
    return """
      <div>
      <h3>Since the scheduler was made</h3>
      <table><tbody>
      \(HTML(joining: items))
      </tbody></table>
      <p>\(MeaningsView.tolerance)</p>
      \(warning)
      </div>
      """
  }

  private static func wakeups(of statistics: TimerStatistics) -> String {
    statistics.tickCount == 0 ? "–" : (100 * statistics.wakeupCount / statistics.tickCount).grouped
  }

  // MARK: Lateness

  private func histogram(of latenesses: LatenessCounts) -> HTML {
    let greatest = max(latenesses.counts.max() ?? 0, 1)
    let rows = latenesses.usedRanges.map { range -> HTML in
      let count = latenesses.counts[range]
      let width = count == 0 ? 0 : max(100 * count / greatest, 1)
      return """
        <tr><th scope="row">\(LatenessCounts.title(of: range))</th><td class="number">\(count.grouped)</td>\
        <td><svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">\
        <path class="bar" d="M0 0h\(String(width))v10h-\(String(width))z"/></svg></td></tr>
        """
    }
    return """
      <div class="histogram">
      <h3>Lateness of \(latenesses.total.grouped) ticks</h3>
      \(rows.isEmpty ? "<p>No tick yet.</p>" : Self.table(rows, titles: ["Lateness", "Ticks", ""]))
      </div>
      """
  }

  // MARK: Actions

  private func slowest(of report: SchedulerReport) -> HTML {
    let rows = report.slowest.map { action, name -> HTML in
      let last = action.last.map { Duration.seconds($0).abbreviated } ?? "–"
      return """
        <tr><th scope="row">\(self.name(of: action, name, in: report.name))</th>\
        <td class="number">\(Duration.seconds(action.longest).abbreviated)</td>\
        <td class="number">\(last)</td></tr>
        """
    }
    let titles = ["Timer", "Longest run", "Last run"]
    return """
      <div>
      <h3>The slowest actions of the last hour</h3>
      \(rows.isEmpty ? "<p>No run has ended in the last hour.</p>" : Self.table(rows, titles: titles))
      <p>Runs count when they end.</p>
      </div>
      """
  }

  private func name(of action: SlowAction, _ name: String?, in scheduler: String) -> HTML {
    guard let name else { return "#\(action.id.description) <small>finished</small>" }
    var query = TimerQuery()
    query.open = TimerKey(scheduler, action.id)
    query.scheduler = scheduler
    query.search = "#\(action.id)"
    return "<a href=\"../timers\(query.text)\"><bdi>\(name)</bdi></a>"
  }

  private static func table(_ rows: [HTML], titles: [String]) -> HTML {
    let heads = titles.enumerated().map { index, title -> HTML in
      index == 1 || (index == 2 && !title.isEmpty)
        ? "<th scope=\"col\" class=\"number\">\(title)</th>"
        : title.isEmpty ? "<td></td>" : "<th scope=\"col\">\(title)</th>"
    }
    return """
      <table>
      <thead><tr>\(HTML(joining: heads))</tr></thead>
      <tbody>
      \(HTML(joining: rows))
      </tbody>
      </table>
      """
  }
}
