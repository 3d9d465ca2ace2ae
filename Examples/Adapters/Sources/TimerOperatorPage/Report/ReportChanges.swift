package import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes reports as server-sent events for one page, each with what has changed since the one before.
package struct ReportChanges: Sendable {
  private let formToken: String?
  private var rows: [String: TimerRow] = [:]
  private var order: [String] = []
  private var summaries: [SchedulerSummary] = []
  private var position: PagePosition?
  private var health: Health?

  /// - Parameter formToken: The secret in the forms of the page. A page with another one is out of date.
  package init(formToken: String? = nil) {
    self.formToken = formToken
  }

  /// An event for a report. Without changes, it still says that the server is there.
  ///
  /// - Parameter now: The time on the clock of the page.
  package mutating func event(for report: TimerReport, at now: Duration) -> ByteBuffer {
    let changed = report.rows.filter { row in rows[row.key].map { !row.looksLike($0) } ?? true }
    let newOrder = report.rows.map(\.key)
    let payload = Payload(
      formToken: position == nil ? formToken : nil, now: now.seconds, age: (now - report.time).seconds,
      numbers: report.summaries == summaries ? nil : report.summaries.map(\.numbers),
      charts: report.summaries.map(\.chart) == summaries.map(\.chart) ? nil : report.summaries.map(\.chart),
      position: report.position == position ? nil : report.position,
      health: report.health == health
        ? nil : HealthView.timerItems(of: report.health).map { [$0.text, $0.address] },
      order: newOrder == order && position != nil ? nil : newOrder, rows: changed)
    for row in changed { rows[row.key] = row }
    if newOrder != order {
      let shown = Set(newOrder)
      rows = rows.filter { shown.contains($0.key) }
    }
    (order, summaries, position, health) = (newOrder, report.summaries, report.position, report.health)

    var event = ByteBuffer(string: "data: ")
    // Numbers and text can always be encoded, as JSON on one line.
    if let json = try? JSONEncoder().encode(payload) { event.writeBytes(json) }
    event.writeString("\n\n")
    return event
  }

  private struct Payload: Encodable {
    let formToken: String?
    let now: Double
    let age: Double
    let numbers: [[String]]?
    let charts: [LatenessChart?]?
    let position: PagePosition?
    /// The troubles of timers: for each its text, and the address of the view that shows it.
    let health: [[String]]?
    let order: [String]?
    let rows: [TimerRow]
  }
}
