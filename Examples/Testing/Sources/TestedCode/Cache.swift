import TimerScheduling

/// A value that is fetched anew every minute while the cache lives.
package actor Cache<Value: Sendable> {
  package private(set) var value: Value?
  private let fetch: @Sendable () async throws -> Value

  package init(on scheduler: TimerScheduler, fetch: @escaping @Sendable () async throws -> Value) {
    self.fetch = fetch
    scheduler.schedule(every: 60, starting: .immediately, owner: self) { cache, _ in
      try await cache.refresh()
    }
  }

  private func refresh() async throws {
    value = try await fetch()
  }
}
