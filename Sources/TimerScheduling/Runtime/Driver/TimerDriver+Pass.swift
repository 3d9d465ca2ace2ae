extension TimerDriver {
  /// The wakeup source of `timeline` has called.
  func wake(on timeline: Timeline) {
    switch timeline {
    case .monotonic: monotonicWakeup.fired()
    case .wall: wallWakeup.fired()
    }
    wakeupCount += 1
    runPass()
  }

  /// How often a pass looks again before it lets others have the queue.
  private static let mostLooks = 64

  /// Fires what is due, and asks for the next wakeup.
  ///
  /// All timers that are fired at one look share one reading of the clocks, and so one date. Consumers are resumed
  /// as their timers fire, before the next wakeup is armed, which wakes Dispatch's own thread.
  package func runPass() {
    passCount += 1
    var lookCount = 0
    while true {
      lookCount += 1
      let isLastLook = lookCount == Self.mostLooks
      armed.store(.past, on: .monotonic)
      armed.store(.past, on: .wall)
      let reading = fireDue()
      let next = publishEarliest()
      // Where the next is due within the time that it takes to be woken, it is waited for here.
      if next.monotonic < reading.monotonic + clock.wakeupCost, !isLastLook {
        while clock.readMonotonic() < next.monotonic {}
        continue
      }
      // What is due by now was filed since the shards were visited.
      let hasDue = next.monotonic <= reading.monotonic || next.wall <= reading.wall
      let wakeup = min(next.monotonic, wakeup(besides: next, at: reading))
      if !hasDue {
        armed.store(wakeup, on: .monotonic)
        armed.store(next.wall, on: .wall)
      }
      if hasDue || isEarlier(than: next) {
        if !isLastLook { continue }
        armed.store(.past, on: .monotonic)
        postPass()
      } else {
        wallWakeup.arm(for: next.wall, at: reading.wall, of: self)
        monotonicWakeup.arm(for: wakeup, at: reading.monotonic, of: self)
      }
      releaseTimersIfNone()
      return
    }
  }

  nonisolated func postPass() {
    executor.async { [self] in assumeIsolated { $0.runPass() } }
  }

  // MARK: Firing

  private func fireDue() -> ClockReading {
    let reading = clock.read()
    noticeWallClockSetBack(at: reading)
    fireExpired(on: .monotonic, at: reading)
    if hasFiled(on: .wall) { fireExpired(on: .wall, at: reading) }
    checkOwners(at: reading.monotonic)
    return reading
  }

  /// Fires what is due. Each timer is fired once, as it is then filed for a later moment.
  private func fireExpired(on timeline: Timeline, at reading: ClockReading) {
    var expired = ExpiredTimers(in: shards.all, on: timeline, at: reading[timeline])
    isFiring = true
    while let entry = expired.next() {
      let firing = entry.fire(at: reading)
      if let lateness = firing.lateness { latenesses.record(lateness) }
      if firing.holdsError { releaseLater { $0.add(entry) } }
    }
    submitReadyRuns()
    isFiring = false
  }

  // MARK: The next wakeup

  private func publishEarliest() -> ClockReading {
    var next = ClockReading(monotonic: .never, wall: .never)
    shards.forEach { shard in
      shard.publishEarliest()
      next.monotonic = min(next.monotonic, shard.earliest[.monotonic])
      next.wall = min(next.wall, shard.earliest[.wall])
    }
    return next
  }

  private func isEarlier(than next: ClockReading) -> Bool {
    var isEarlier = false
    shards.forEach { shard in
      if shard.earliest[.monotonic] < next.monotonic || shard.earliest[.wall] < next.wall { isEarlier = true }
    }
    return isEarlier
  }

  private nonisolated func hasFiled(on timeline: Timeline) -> Bool {
    var hasFiled = false
    shards.forEach { if $0.earliest[timeline] < .never { hasFiled = true } }
    return hasFiled
  }

  /// When to be awake for something else than a timer on the monotonic clock.
  private func wakeup(besides next: ClockReading, at reading: ClockReading) -> Deadline {
    var wakeup = nextOwnerCheck ?? .never
    if next.wall < .never {
      // The kernel wakes for a wall clock that is set forward. One that was set back would make its
      // timers wait for longer, so they are seen to when the time is up by the monotonic clock.
      wakeup = min(wakeup, reading.monotonic + (next.wall - reading.wall))
    }
    return wakeup
  }

  // MARK: The wall clock

  /// Has the timers on the wall clock find their next deadlines anew when the clock was set back.
  private func noticeWallClockSetBack(at reading: ClockReading) {
    guard hasFiled(on: .wall) else { return }
    guard let latest = latestWallClock, reading.wallLead < latest.wallLead else {
      latestWallClock = reading
      return
    }
    // A clock that is slewed loses microseconds from pass to pass, which are let add up.
    guard reading.isSetBack(since: latest) else { return }
    latestWallClock = reading
    shards.forEach { shard in
      for entry in shard.entries(on: .wall) { entry.wallClockSetBack(at: reading) }
    }
  }
}

/// The timers of all shards whose deadlines have come: those that have to be fired first come first and, of two with the
/// same moment, the one that was filed first.
private struct ExpiredTimers {
  /// How many timers are taken out of a shard while its lock is held.
  private static let batchSize = 256

  private struct Source {
    let shard: Shard
    var batch: [Shard.Expired] = []
    var position = 0
    var isExhausted = false
  }

  private let timeline: Timeline
  private let now: Deadline
  private var sources: [Source]

  init(in shards: [Shard], on timeline: Timeline, at now: Deadline) {
    self.timeline = timeline
    self.now = now
    sources = shards.map { Source(shard: $0) }
  }

  mutating func next() -> TimerEntry? {
    var first: (source: Int, latest: Deadline, number: UInt64)?
    for index in sources.indices {
      if sources[index].position == sources[index].batch.count { refill(index) }
      guard sources[index].position < sources[index].batch.count else { continue }
      let (latest, number) = (
        sources[index].batch[sources[index].position].latest,
        sources[index].batch[sources[index].position].number
      )
      if let other = first, (other.latest, other.number) < (latest, number) { continue }
      first = (index, latest, number)
    }
    guard let first else { return nil }
    defer { sources[first.source].position += 1 }
    return sources[first.source].batch[sources[first.source].position].element
  }

  private mutating func refill(_ index: Int) {
    guard !sources[index].isExhausted else { return }
    sources[index].batch.removeAll(keepingCapacity: true)
    sources[index].position = 0
    sources[index].shard.takeExpired(
      on: timeline, at: now, most: Self.batchSize, into: &sources[index].batch)
    sources[index].isExhausted = sources[index].batch.count < Self.batchSize
  }
}
