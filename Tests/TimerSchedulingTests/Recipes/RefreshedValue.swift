import TimerScheduling

/// A value that is fetched at once and then in each interval. One that can't be fetched leaves the last one
/// there.
actor RefreshedValue<Value: Sendable> {
  private let fetch: @Sendable () async throws -> Value
  private(set) var current: Value?

  init(
    every interval: Duration, on scheduler: TimerScheduler,
    fetch: @escaping @Sendable () async throws -> Value
  ) {
    self.fetch = fetch
    scheduler.schedule(every: interval, starting: .immediately, owner: self, timeout: .seconds(10)) {
      value, _ in try await value.refresh()
    }
  }

  private func refresh() async throws { current = try await fetch() }
}
