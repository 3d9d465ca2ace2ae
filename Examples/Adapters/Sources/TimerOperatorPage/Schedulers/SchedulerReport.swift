package import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The figures of one scheduler.
package struct SchedulerReport: Sendable {
  package let name: String
  package let statistics: TimerStatistics
  /// Nil for a scheduler without a history, which has no observer that counts.
  package let latenesses: LatenessCounts?
  /// The slowest actions, each with the timer's name, or nil if the timer has finished.
  package let slowest: [(action: SlowAction, name: String?)]

  package init(
    name: String, statistics: TimerStatistics, latenesses: LatenessCounts?,
    slowest: [(action: SlowAction, name: String?)]
  ) {
    self.name = name
    self.statistics = statistics
    self.latenesses = latenesses
    self.slowest = slowest
  }
}

extension TimerInspector {
  /// Asks each scheduler for its statistics, and its history for latenesses and run times.
  @concurrent func schedulerReports() async -> [SchedulerReport] {
    let minute = MinuteSeries.minute(of: Date())
    var reports: [SchedulerReport] = []
    for shown in schedulers {
      let slowest = shown.history.map { SlowAction.slowest(in: $0, upTo: minute) } ?? []
      var named: [(action: SlowAction, name: String?)] = []
      for action in slowest {
        let timer = shown.scheduler.timer(id: action.id)
        named.append((action, timer.map { DisplayName.text(for: $0) }))
      }
      reports.append(
        SchedulerReport(
          name: shown.name, statistics: await shown.scheduler.statistics,
          latenesses: shown.history?.latenesses, slowest: named))
    }
    return reports
  }
}
