import TimerScheduling

// Nothing is marked, as in a new app of Xcode.

final class Clock {
  private(set) var seconds = 0

  func start(_ scheduler: TimerScheduler) {
    scheduler.schedule(every: 0.001, limit: 3, owner: self) { clock, _ in clock.tick() }
    scheduler.schedule(every: 0.001, limit: 3) { [weak self] _ in self?.tick() }
    scheduler.schedule(after: 0.001, perform: tickOnce)
  }

  private func tick() { seconds += 1 }

  private func tickOnce(_ tick: TimerTick) { seconds += 1 }
}

@main struct Program {
  static func main() async throws {
    try await runClients()
    let (scheduler, clock) = (TimerScheduler(), Clock())
    clock.start(scheduler)
    while clock.seconds < 7 { try await scheduler.sleep(for: 0.001) }
    try await withRetries(2, on: scheduler) { clock.start(scheduler) }
  }
}
