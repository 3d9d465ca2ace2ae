import TimerScheduling

/// Passes the first value on at once, and then the newest one in each interval.
actor Throttle<Value: Sendable> {
  private let scheduler: TimerScheduler
  private let interval: Duration
  private let action: @Sendable (Value) async -> Void
  private var newest: Value?
  private var timer: ScheduledTimer?

  init(
    every interval: Duration, on scheduler: TimerScheduler, action: @escaping @Sendable (Value) async -> Void
  ) {
    self.scheduler = scheduler
    self.interval = interval
    self.action = action
  }

  func send(_ value: Value) {
    newest = value
    guard timer == nil else { return }
    timer = scheduler.schedule(every: interval, starting: .immediately, missedTicks: .delay, owner: self) {
      throttle, _ in await throttle.passOn()
    }
  }

  private func passOn() async {
    if let value = newest {
      newest = nil
      await action(value)
    } else {
      // No value has come for an interval. The next one is passed on at once again.
      timer?.cancel()
      timer = nil
    }
  }
}
