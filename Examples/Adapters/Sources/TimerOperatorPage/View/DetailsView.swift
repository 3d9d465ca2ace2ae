import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The details of one timer, below its row.
struct DetailsView {
  static let dateCount = 10

  let schedule: TimerSchedule?
  let dates: [Date]
  /// Nil for a scheduler without a history.
  let past: TimerPast?

  init(_ timer: ScheduledTimer, past: TimerPast?) {
    schedule = timer.schedule
    dates = timer.upcomingDates(Self.dateCount)
    self.past = past
  }

  var html: HTML {
    """
    <div class="past">
    <section>
    <h2>Schedule</h2>
    <p>\(schedule.map { ScheduleWords.text(for: $0.description) } ?? "Once, after a delay.")</p>
    \(schedule.map(asWritten) ?? "")
    <h2>Next dates</h2>
    \(dates.isEmpty ? "<p>None while the timer is paused or at its end.</p>" : dateList)
    </section>
    \(past.map(runs) ?? "<section><p>The scheduler has no history.</p></section>")
    </div>
    """
  }

  private func asWritten(_ schedule: TimerSchedule) -> HTML {
    "<p>As written: <code>\(schedule.description)</code></p>"
  }

  private var dateList: HTML {
    let items = dates.map { date -> HTML in "<li>\(Self.time(date))</li>" }
    return "<ol>\n\(HTML(joining: items))\n</ol>"
  }

  private func runs(_ past: TimerPast) -> HTML {
    let chart = LatenessChart(past.series, upTo: MinuteSeries.minute(of: Date()))
    return """
      <section>
      <h2>Last hour: <span class="key lateness">lateness</span> <span class="key run-time">run time</span></h2>
      \(ChartView(chart: chart).html)
      <p>\(chart.text).</p>
      </section>
      <section>
      <h2>Last runs</h2>
      \(past.runs.isEmpty ? "<p>No run has ended since the server's start.</p>" : runTable(past.runs))
      </section>
      """
  }

  private func runTable(_ runs: [PastRun]) -> HTML {
    let rows = runs.map { run -> HTML in
      let (outcome, error) = Self.words(for: run.outcome)
      return """
        <tr><td>\(Self.time(run.date))</td><td class="number">\(run.lateness.abbreviated)</td>\
        <td class="number">\(run.missedCount.grouped)</td><td class="number">\(run.duration.abbreviated)</td>\
        <td data-failed="\(error == nil ? "false" : "true")">\(outcome)</td></tr>
        \(error.map(errorRow) ?? "")
        """
    }
    return """
      <table>
      <thead><tr><th scope="col">Date</th><th scope="col" class="number">Lateness</th>\
      <th scope="col" class="number">Missed</th><th scope="col" class="number">Run time</th>\
      <th scope="col">Outcome</th></tr></thead>
      <tbody>
      \(HTML(joining: rows))
      </tbody>
      </table>
      """
  }

  private static func words(for outcome: PastRun.Outcome) -> (outcome: String, error: String?) {
    switch outcome {
    case .ended: ("Ended", nil)
    case .cancelled: ("Cancelled", nil)
    case .failed(let error): ("Failed", error)
    }
  }

  private func errorRow(_ error: String) -> HTML {
    "<tr><td colspan=\"5\" class=\"error\">\(error)</td></tr>"
  }

  private static func time(_ date: Date) -> HTML { .time(TimerRow.text(of: date)) }
}
