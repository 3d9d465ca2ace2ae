import TimerScheduling

/// One of the numbers about all timers.
struct Total: Sendable {
  let name: String
  let text: String

  private init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  /// The totals of a scheduler's statistics. Ticks, wakeups and lateness include those of timers that aren't shown.
  ///
  /// - Parameter hiddenCount: How many active timers aren't shown.
  static func all(of statistics: TimerStatistics, hiddenCount: Int) -> [Total] {
    let lateness = statistics.lateness
    return [
      Total("Active", (statistics.active - hiddenCount).grouped),
      Total("Paused", statistics.paused.grouped),
      Total("Running", statistics.running.grouped),
      Total("Ticks", statistics.ticks.grouped),
      Total("Missed", statistics.missed.grouped),
      Total("Failures", statistics.failures.grouped),
      Total("Wakeups", statistics.wakeups.grouped),
      Total("Events lost", statistics.droppedEvents.grouped),
      Total("Lateness p50", lateness.p50.abbreviated),
      Total("Lateness p99", lateness.p99.abbreviated),
      Total("Lateness max", lateness.max.abbreviated),
    ]
  }
}
