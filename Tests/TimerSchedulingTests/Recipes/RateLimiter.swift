import TimerScheduling

/// Lets one caller through in each interval, after a burst at the start or after a rest.
actor RateLimiter {
  private let scheduler: TimerScheduler
  private let interval: Duration
  private let head: Duration
  private var next: TimerClock.Instant

  init(every interval: Duration, burst: Int = 1, on scheduler: TimerScheduler) {
    self.scheduler = scheduler
    self.interval = interval
    head = interval * (burst - 1)
    next = scheduler.clock.now
  }

  /// Waits for the caller's turn. Callers have theirs in the order of their calls.
  func waitForTurn() async throws {
    let now = scheduler.clock.now
    next = max(next, now)
    let wait = now.duration(to: next) - head
    next = next.advanced(by: interval)
    if wait > .zero { try await scheduler.sleep(for: wait) }
  }

  /// Takes the caller's turn if it has come. A server that gets false answers with the status 429.
  func tryTakeTurn() -> Bool {
    let now = scheduler.clock.now
    guard max(next, now) <= now.advanced(by: head) else { return false }
    next = max(next, now).advanced(by: interval)
    return true
  }
}
