import TimerScheduling

func beat(
  every interval: Duration, count: Int? = nil, on scheduler: TimerScheduler,
  send: @Sendable (Int) async -> Void
) async {
  for await tick in scheduler.firings(every: interval, limit: count) {
    await send(tick.missedCount)
  }
}
