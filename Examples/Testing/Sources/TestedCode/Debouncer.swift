import TimerScheduling

/// Passes on the last of the values that come within a delay of each other.
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
    // The timer of the value before has the same name, and so ends here.
    scheduler.schedule(.after(delay), name: "debounce", owner: self) { debouncer, _ in
      await debouncer.handle(value)
    }
  }
}
