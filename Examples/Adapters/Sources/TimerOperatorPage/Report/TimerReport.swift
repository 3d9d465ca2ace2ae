import TimerScheduling

/// The contents of a page at one moment: the schedulers, and the rows of its query.
package struct TimerReport: Sendable {
  /// When the timers were looked at, on the clock of the page.
  package let time: Duration
  package let summaries: [SchedulerSummary]
  package let rows: [TimerRow]
  package let position: PagePosition
  /// The troubles of all timers of the schedulers that the query asks for.
  package let health: Health

  /// The same rows, with other summaries.
  func with(_ summaries: [SchedulerSummary]) -> TimerReport {
    TimerReport(time: time, summaries: summaries, rows: rows, position: position, health: health)
  }
}

/// Where a page stands among all pages of its query.
package struct PagePosition: Sendable, Hashable, Encodable {
  package let page: Int
  package let pageCount: Int
  package let matchCount: Int
  /// The position in words.
  package let text: String

  init(page: Int, pageCount: Int, matchCount: Int) {
    (self.page, self.pageCount, self.matchCount) = (page, pageCount, matchCount)
    let first = (page - 1) * TimerQuery.pageSize + 1
    let last = min(page * TimerQuery.pageSize, matchCount)
    text =
      switch matchCount {
      case 0: "No timer."
      case 1: "1 timer."
      default: "Timers \(first.grouped) to \(last.grouped) of \(matchCount.grouped)."
      }
  }
}
