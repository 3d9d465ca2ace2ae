extension TimerDriver {
  /// Snapshots of all live timers, in no particular order.
  package nonisolated var snapshots: [TimerSnapshot] { snapshots { _ in true } }

  /// Snapshots of the live timers that meet a condition. No lock is held while the condition runs.
  nonisolated func snapshots(where isIncluded: (TimerSnapshot) -> Bool) -> [TimerSnapshot] {
    let reading = clock.read()
    return entries.compactMap { entry in entry.snapshot(at: reading).flatMap { isIncluded($0) ? $0 : nil } }
  }

  /// Statistics of the timers, as of now and since the driver was made.
  var statistics: TimerStatistics {
    let paused = observation.pausedCount
    let load = runners.load
    return TimerStatistics(
      active: max(timerCount - paused, 0), paused: paused, running: tasks.runningCount,
      waiting: load.waiting, blocked: load.blocked, ticks: observation.tickCount,
      missed: observation.missedCount, failures: observation.failureCount, wakeups: wakeupCount,
      droppedEvents: observation.droppedCount, lateness: TimerStatistics.Lateness(latenesses))
  }
}
