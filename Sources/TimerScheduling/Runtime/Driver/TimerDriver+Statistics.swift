extension TimerDriver {
  /// What all live timers are like, in no particular order.
  package nonisolated var snapshots: [TimerSnapshot] {
    let reading = clock.read()
    return entries.compactMap { $0.snapshot(at: reading) }
  }

  /// What the timers are doing, and have done since the driver was made.
  var statistics: TimerStatistics {
    let paused = observation.pausedCount
    return TimerStatistics(
      active: max(timerCount - paused, 0), paused: paused, running: tasks.runningCount,
      ticks: observation.tickCount, missed: observation.missedCount, failures: observation.failureCount,
      wakeups: wakeupCount, droppedEvents: observation.droppedCount,
      lateness: TimerStatistics.Lateness(latenesses))
  }
}
