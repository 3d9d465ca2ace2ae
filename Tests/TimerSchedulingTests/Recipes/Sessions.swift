import TimerScheduling

/// The sessions that were used in the last half hour.
actor Sessions {
  private let clock: TimerClock
  private var ends: [String: TimerClock.Instant] = [:]

  init(on scheduler: TimerScheduler) {
    clock = scheduler.clock
    scheduler.schedule(every: .seconds(60), owner: self) { sessions, _ in await sessions.evict() }
  }

  var count: Int { ends.count }

  func use(_ id: String) { ends[id] = clock.now.advanced(by: .seconds(1_800)) }

  private func evict() {
    let now = clock.now
    ends = ends.filter { $0.value > now }
  }
}
