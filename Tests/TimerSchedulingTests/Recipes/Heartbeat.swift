import TimerScheduling

/// Says in each interval that the process is alive, and how many times it has missed to say so.
func beat(
  every interval: Duration, count: Int? = nil, on scheduler: TimerScheduler,
  send: @Sendable (Int) async -> Void
) async {
  var schedule = TimerSchedule.every(interval)
  if let count { schedule = schedule.limit(count) }
  for await tick in scheduler.timer(on: schedule).firings {
    await send(tick.missedCount)
  }
}
