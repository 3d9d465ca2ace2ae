import TimerScheduling

/// A scheduler's row on the page.
package struct SchedulerSummary: Sendable, Hashable {
  package let name: String
  /// The numbers, in the order of ``titles``.
  package let numbers: [String]
  /// Nil for a scheduler without a history.
  package let chart: LatenessChart?

  static let titles = [
    "Active", "Paused", "Running", "Ticks", "Missed", "Failures", "Wakeups", "Dropped events",
    "Lateness with tolerance: p50", "p99", "max",
  ]

  init(_ name: String, _ statistics: TimerStatistics, chart: LatenessChart?) {
    let lateness = statistics.lateness
    let counts = [
      statistics.activeCount, statistics.pausedCount, statistics.runningCount, statistics.tickCount,
      statistics.missedCount,
      statistics.failureCount, statistics.wakeupCount, statistics.droppedEventCount,
    ]
    self.name = name
    numbers =
      counts.map(\.grouped) + [lateness.p50.abbreviated, lateness.p99.abbreviated, lateness.max.abbreviated]
    self.chart = chart
  }
}
