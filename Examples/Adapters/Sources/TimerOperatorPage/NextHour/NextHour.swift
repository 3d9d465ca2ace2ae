import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The dates of the timers that meet a query, within the hour after a look.
package struct NextHour: Sendable {
  package static let laneLimit = 200

  /// When the hour begins: when the timers were looked at.
  package let start: Date
  /// The timers that have a date in the hour, in the order of the query, as many as have a lane.
  package private(set) var lanes: [HourLane] = []
  /// The number of timers whose next date is in the hour, and which have no lane.
  package let otherCount: Int
  /// The number of timers that have no date in the hour: those that are paused, or due later.
  package private(set) var idleCount: Int
  /// For each minute the number of timers that tick in it. Of a timer without a lane only the next date
  /// counts.
  package private(set) var crowd = [Int](repeating: 0, count: 60)

  /// Finds the dates.
  ///
  /// - Parameters:
  ///   - looks: The timers of each scheduler. Nil for a scheduler that the query leaves out.
  ///   - troubles: The timers of each scheduler that have troubles.
  ///   - schedulers: The schedulers.
  ///   - date: The date for schedulers that have no timer with a date.
  init(
    _ query: TimerQuery, from looks: [[TimerSnapshot]?], troubles: [TimerTroubles],
    of schedulers: [ShownScheduler], or date: Date
  ) async {
    // A scheduler in tests has a clock of its own. Of each timer the look has found both the date and the
    // time left.
    let starts = looks.map { $0.flatMap(Self.date) }
    start = starts.compactMap(\.self).first ?? date
    let matches = await RowSelection.matches(query, in: looks, troubles: troubles)
    var due = looks.map { $0 == nil ? nil : [] as [TimerSnapshot] }
    for (source, snapshot) in matches where Self.mayTick(snapshot) { due[source]?.append(snapshot) }
    var first = query
    first.page = 1
    let selection = RowSelection(first, from: due, troubles: troubles, pageSize: Self.laneLimit)
    idleCount = matches.count - selection.matchCount
    otherCount = selection.matchCount - selection.rows.count

    var shown = Array(repeating: Set<ScheduledTimer.ID>(), count: looks.count)
    for (source, snapshot) in selection.rows {
      shown[source].insert(snapshot.id)
      guard let timer = schedulers[source].scheduler.timer(id: snapshot.id),
        let lane = HourLane(timer, snapshot, in: schedulers[source].name, from: starts[source] ?? date)
      else {
        idleCount += 1
        continue
      }
      lanes.append(lane)
      for (minute, isDue) in lane.minutes.enumerated() where isDue { crowd[minute] += 1 }
    }
    for (source, snapshots) in due.enumerated() where otherCount > 0 {
      for snapshot in snapshots ?? [] where !shown[source].contains(snapshot.id) {
        guard let left = snapshot.remainingTime else { continue }
        crowd[min(max(Int(left.seconds / 60), 0), 59)] += 1
      }
    }
  }

  /// Whether a timer's next date is within an hour, or isn't known, as a rule has yet to be asked for it.
  private static func mayTick(_ snapshot: TimerSnapshot) -> Bool {
    guard snapshot.state == .scheduled else { return false }
    return snapshot.remainingTime.map { $0 < .seconds(HourLane.length) } ?? true
  }

  /// The date on a scheduler's clock at which a look has found its timers.
  private static func date(_ snapshots: [TimerSnapshot]) -> Date? {
    for snapshot in snapshots where snapshot.state == .scheduled {
      if let next = snapshot.nextDate, let left = snapshot.remainingTime { return next - left.seconds }
    }
    return nil
  }
}
