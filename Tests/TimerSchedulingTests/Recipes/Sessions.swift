import TimerScheduling

/// The sessions that were used lately. It looks for old ones thirty times in the time that one lasts.
actor Sessions {
  private let clock: TimerClock
  private let lifetime: Duration
  private var ends: [String: TimerClock.Instant] = [:]

  init(lasting lifetime: Duration = .seconds(1_800), on scheduler: TimerScheduler) {
    clock = scheduler.clock
    self.lifetime = lifetime
    scheduler.schedule(every: lifetime / 30, owner: self) { sessions, _ in sessions.evict() }
  }

  var count: Int { ends.count }

  func use(_ id: String) { ends[id] = clock.now.advanced(by: lifetime) }

  private func evict() {
    let now = clock.now
    ends = ends.filter { $0.value > now }
  }
}
