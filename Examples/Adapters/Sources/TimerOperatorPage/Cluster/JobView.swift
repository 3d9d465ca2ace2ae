import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page of one job: what it is and has to do, its dates, its runs with their errors, and what an operator
/// can do to it.
///
/// It needs no script. With one, it is live. Nothing on it is cut off.
struct JobView {
  let look: JobLook
  let query: JobQuery
  let links: PageLinks

  var html: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    \(PageHead(title: "Timers: a job", prefix: "", script: ClusterView.head).html)
    <body>
    \(links.header(title: "Job", status: PageView.status))
    <main id="cluster" data-age="0">
    <p><a id="back" href="jobs\(query.text)">Back to the jobs</a></p>
    <h2 id="name"><bdi>\(HTML.breakable(DisplayName.text(for: look.name, upTo: .max)))</bdi></h2>
    \(look.job.map(contents) ?? Self.gone)
    \(runTable)
    </main>
    \(DialogsView(keys: DialogsView.jobKeys).html)
    </body>
    </html>
    """
  }

  private static let gone: HTML = """
    <p id="gone">The store has no such job any more: it is done, or was removed. These runs are left of it.</p>
    """

  private func contents(of job: ClusterJob) -> HTML {
    """
    \(facts(of: job))
    <section aria-label="Actions" id="acts">
    \(JobForm(job: job, query: query, formToken: links.formToken).page)
    \(job.handler.isEmpty ? "" : handlerPause(job.handler))
    </section>
    \(dates(of: job))
    """
  }

  // MARK: Facts

  private func facts(of job: ClusterJob) -> HTML {
    let words = JobWords(
      job: job, last: look.runs.first, pauses: look.pauses, now: look.now, errorLength: .max)
    let held = look.pauses.filter { $0.handler == nil || $0.handler == job.handler }
    let facts: [(String, HTML)] = [
      ("State", "\(words.state)\(HTML(joining: held.map(sentence)))"),
      ("Handler", job.handler.isEmpty ? "None, as it is a job of the program" : handler(job.handler)),
      ("Schedule", "\(ScheduleWords.text(for: job.schedule)) <code>\(HTML.whole(job.schedule))</code>"),
      ("Payload", payload(of: job)),
      ("Runs", "\(counts(of: job))"),
    ]
    let items = facts.map { title, text -> HTML in "<div><dt>\(title)</dt><dd>\(text)</dd></div>" }
    return "<dl id=\"facts\">\n\(HTML(joining: items))\n</dl>"
  }

  private func sentence(on pause: ClusterPause) -> HTML {
    let target = pause.handler == nil ? "The cluster" : "The handler"
    let person = pause.by.isEmpty ? "" : " by \(DisplayName.text(for: pause.by))"
    let reason = pause.reason.isEmpty ? "" : ": \(DisplayName.text(for: pause.reason, upTo: .max))"
    return "<p class=\"pause\">\(target) is paused\(person) since \(JobWords.time(pause.date))\(reason)</p>"
  }

  private func handler(_ name: String) -> HTML {
    var only = JobQuery()
    only.handler = name
    return
      "<a href=\"jobs\(only.text)\"><bdi>\(HTML.breakable(DisplayName.text(for: name, upTo: .max)))</bdi></a>"
  }

  private func payload(of job: ClusterJob) -> HTML {
    guard !job.handler.isEmpty else { return "None" }
    return job.payload.isEmpty ? "Empty" : "<pre id=\"payload\">\(HTML.whole(job.payload))</pre>"
  }

  private func counts(of job: ClusterJob) -> String {
    """
    \(job.doneCount.grouped) done, \(job.failedCount.grouped) failed, \(job.abandonedCount.grouped) abandoned, \
    \(job.missedCount.grouped) dates missed
    """
  }

  // MARK: Dates

  private func handlerPause(_ handler: String) -> HTML {
    HandlerPause(
      handler: handler, isPaused: look.pauses.contains { $0.handler == handler },
      address: "pauses" + query.address(of: look.name).dropFirst(3), formToken: links.formToken
    ).html
  }

  private func dates(of job: ClusterJob) -> HTML {
    let dates = look.nextDates.map { date -> HTML in "<li>\(JobWords.time(date))</li>" }
    let next: HTML = dates.isEmpty ? "<p>None.</p>" : "<ol id=\"next\">\n\(HTML(joining: dates))\n</ol>"
    return """
      <section aria-label="Next dates">
      <h2>Next dates</h2>
      \(next)
      </section>
      \(pastDates)
      """
  }

  /// Asks what became of a date, or for runs of dates that have passed.
  private var pastDates: HTML {
    let dates = look.pastDates
    guard !dates.isEmpty else { return "" }
    let again: HTML = "<label>Date <select name=\"at\">\(options(dates))</select></label>"
    let range: HTML = """
      <label>From <select name="from">\(options(dates.reversed()))</select></label>
      <label>To <select name="to">\(options(dates))</select></label>
      """
    return """
      <section aria-label="Past dates" id="past">
      <h2>Past dates</h2>
      <form method="get" action="date">
      <input type="hidden" name="job" value="\(look.name)">
      \(again)
      <button>Why did it run, or not?</button>
      </form>
      \(dateForm(name: "at", title: "Run it again", .run, fields: again))
      \(dates.count == 1 ? "" : dateForm(name: "range", title: "Run these dates", .backfill, fields: range))
      </section>
      """
  }

  private func dateForm(name: String, title: String, _ action: JobAction, fields: HTML) -> HTML {
    """
    <form method="post" action="\(query.address(of: look.name))" class="act" data-key="\(name)">
    <input type="hidden" name="formToken" value="\(links.formToken)">
    <input type="hidden" name="job" value="\(look.name)">
    \(fields)
    <button name="action" value="\(action.rawValue)">\(title)</button>
    </form>
    """
  }

  /// The dates as choices, which a script shows in the reader's time zone. The first one is chosen at first.
  private func options(_ dates: some Sequence<Date>) -> HTML {
    let options = dates.map { date -> HTML in
      let text = TimerRow.text(of: date)
      let value = Microseconds(date).description
      return "<option value=\"\(value)\" data-key=\"\(value)\" data-time=\"\(text)\">\(text)</option>"
    }
    return HTML(joining: options)
  }

  // MARK: Runs

  private var runTable: HTML {
    let rows = look.runs.flatMap { run in
      [TableView.Row(key: "\(run.token)", cells: cells(run))]
        + run.skipped.enumerated().map { index, dates in
          TableView.Row(key: "\(run.token) \(index)", state: "skipped", cells: cells(dates))
        }
    }
    let more = look.runs.count >= JobLook.runLimit ? ", the newest \(JobLook.runLimit.grouped)" : ""
    return TableView(
      id: "runs", caption: "\(look.runs.isEmpty ? "No run yet." : "Runs and attempts\(more)")",
      columns: [
        "Date", TableView.Column("Attempt", isNumber: true), "Replica", "Began", "Took", "Outcome", "Error",
        "Why",
      ], rows: rows
    ).html
  }

  private func cells(_ run: ClusterRunRecord) -> [HTML] {
    let time = run.ended.map { Duration.seconds(max($0.timeIntervalSince(run.began), 0)).abbreviated } ?? "–"
    return [
      JobWords.time(run.scheduledDate), "\(run.attempt.grouped)",
      "\(DisplayName.text(for: run.replica, upTo: .max))", JobWords.time(run.began), "\(time)",
      RunsView.outcome(of: run), RunsView.error(of: run, upTo: .max),
      run.scheduledDate.map { why($0) } ?? "–",
    ]
  }

  /// Dates that a run has left out.
  private func cells(_ dates: SkippedDates) -> [HTML] {
    let range: HTML =
      dates.from == dates.through
      ? JobWords.time(dates.from) : "\(JobWords.time(dates.from)) to \(JobWords.time(dates.through))"
    return [range, "–", "–", "–", "–", "left out", "\(Self.reason(for: dates))", why(dates.through)]
  }

  private func why(_ date: Date) -> HTML {
    let address = TimerQuery.text(of: [("job", look.name), ("at", Microseconds(date).description)])
    return "<a href=\"date\(address)\">Why?</a>"
  }

  private static func reason(for dates: SkippedDates) -> String {
    let person = dates.by.isEmpty ? "" : " by \(DisplayName.text(for: dates.by))"
    let note = dates.note.isEmpty ? "" : ": \(DisplayName.text(for: dates.note, upTo: .max))"
    return switch dates.reason {
    case .newerDate: "a newer date was due"
    case .tooOld: "too old to be caught up with"
    case .attemptsUsedUp: "the attempts were used up"
    case .paused: "paused\(person)\(note)"
    case .scheduleChanged: "the schedule was changed\(note.isEmpty ? "" : ", before it was\(note)")"
    @unknown default: dates.reason.rawValue
    }
  }
}
