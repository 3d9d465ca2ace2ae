import TimerScheduling

/// Passes a value on once no other has come for a while.
actor Debouncer<Value: Sendable> {
  private let scheduler: TimerScheduler
  private let quiet: Duration
  private let action: @Sendable (Value) async -> Void

  init(after quiet: Duration, on scheduler: TimerScheduler, action: @escaping @Sendable (Value) async -> Void)
  {
    self.scheduler = scheduler
    self.quiet = quiet
    self.action = action
  }

  func send(_ value: Value) {
    // A timer takes the place of the one that has its name.
    scheduler.schedule(after: quiet, name: "quiet", owner: self) { [action] _, _ in await action(value) }
  }
}
