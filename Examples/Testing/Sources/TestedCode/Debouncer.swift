import TimerScheduling

/// Passes on the last of several values that follow each other within a delay.
package final class Debouncer<Value: Sendable>: Sendable {
  private let scheduler: TimerScheduler
  private let delay: Duration
  private let handle: @Sendable (Value) async -> Void

  package init(
    on scheduler: TimerScheduler, delay: Duration, handle: @escaping @Sendable (Value) async -> Void
  ) {
    self.scheduler = scheduler
    self.delay = delay
    self.handle = handle
  }

  package func send(_ value: Value) {
    // The previous value's timer has the same name, and so ends here.
    scheduler.schedule(.after(delay), name: "debounce", owner: self) { debouncer, _ in
      await debouncer.handle(value)
    }
  }
}
