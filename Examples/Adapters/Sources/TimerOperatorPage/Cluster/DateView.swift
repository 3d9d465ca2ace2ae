import TimerSchedulingCluster

/// The page that says what became of a date of a job, and why. It needs no script.
struct DateView {
  let explanation: DateExplanation
  let links: PageLinks

  var html: HTML {
    // The first line says what became of the date, and each further one has a run.
    let lines = explanation.description.split(separator: "\n").map(String.init)
    let job = JobQuery().address(of: explanation.job)
    return """
      <!DOCTYPE html>
      <html lang="en">
      \(PageHead(title: "Timers: a date", prefix: "", script: PageLinks.style(prefix: "")).html)
      <body>
      \(links.header(title: "A date of a job"))
      <main id="date" data-outcome="\(explanation.outcome.rawValue)">
      <p><a href="\(job)">Back to the job</a></p>
      <p>\(JobWords.time(explanation.date))</p>
      <p>\(text(lines.first ?? ""))</p>
      <ol>
      \(HTML(joining: lines.dropFirst().map { "<li>\(text($0))</li>" }))
      </ol>
      </main>
      </body>
      </html>
      """
  }

  private func text(_ line: String) -> HTML { HTML.breakable(DisplayName.text(for: line, upTo: .max)) }
}
