import NIOCore
import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a page shows of all timers at one moment.
struct TimerReport: Sendable {
  /// When the timers were looked at.
  let time: Duration
  let totals: [Total]
  let rows: [TimerRow]
  /// How many timers aren't among the rows.
  let remainder: Int

  init(
    of snapshots: [TimerSnapshot], statistics: TimerStatistics, at time: Duration,
    without hidden: ScheduledTimer.ID?
  ) {
    let hiddenCount = snapshots.contains { $0.id == hidden } ? 1 : 0
    self.time = time
    totals = Total.all(of: statistics, hiddenCount: hiddenCount)
    rows = RowSelection.rows(of: snapshots, without: hidden).map { TimerRow($0) }
    remainder = snapshots.count - hiddenCount - rows.count
  }

  /// The report as a server-sent event.
  func event(age: Duration) -> ByteBuffer {
    let payload = Payload(
      age: age.seconds, totals: totals.map(\.text), rows: rows, remainder: PageView.remainder(remainder))
    var event = ByteBuffer(string: "data: ")
    // Numbers and text can always be encoded, as JSON on one line.
    if let json = try? JSONEncoder().encode(payload) { event.writeBytes(json) }
    event.writeString("\n\n")
    return event
  }

  private struct Payload: Encodable {
    let age: Double
    let totals: [String]
    let rows: [TimerRow]
    let remainder: String
  }
}
