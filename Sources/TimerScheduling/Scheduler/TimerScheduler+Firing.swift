extension TimerScheduler {
  /// The wakeup source of `timeline` has called.
  func wake(on timeline: Timeline) {
    lane(on: timeline).noteWakeup()
    runPass()
  }

  /// Looks at what was posted, fires what is due, and asks for the next wakeup.
  ///
  /// All timers fired in one pass share one reading of the clocks, and so one date. Consumers are resumed
  /// as their timers fire, before the next wakeup is armed, which wakes Dispatch's own thread.
  func runPass() {
    for record in inbox.takeAll() { reconcile(record) }
    let reading = clock.read()
    noticeWallClockSetBack(at: reading)
    if let monotonicLane { fireExpired(in: monotonicLane, at: reading.monotonic, reading) }
    if let wallLane { fireExpired(in: wallLane, at: reading.wall, reading) }
    arm(at: reading)
  }

  private func fireExpired(in lane: DeadlineLane, at now: Deadline, _ reading: ClockReading) {
    while let record = lane.popExpired(at: now) {
      record.placement.entry = nil
      if let filing = record.fire(at: reading) { file(record, for: filing) }
    }
  }

  // MARK: Filing

  /// Makes the registry and the deadline queues agree with what the record wants.
  private func reconcile(_ record: TimerRecord) {
    if let entry = record.placement.entry {
      lane(on: entry.timeline).remove(entry)
      record.placement.entry = nil
    }
    switch record.collectWish() {
    case .filed(let filing):
      registry.enter(record)
      file(record, for: filing)
    case .unfiled:
      registry.enter(record)
    case .gone:
      registry.leave(record)
    }
  }

  private func file(_ record: TimerRecord, for filing: TimerRecord.Filing) {
    record.placement.entry = lane(on: filing.timeline).insert(record, for: filing)
  }

  // MARK: Wakeups

  private func arm(at reading: ClockReading) {
    var wakeup = monotonicLane?.nextWakeup()
    if let wallLane {
      let wallWakeup = wallLane.nextWakeup()
      wallLane.arm(for: wallWakeup, at: reading.wall)
      if let wallWakeup {
        // The kernel wakes for a wall clock that is set forward. One that was set back would make its
        // timers wait for longer, so they are seen to when the time is up by the monotonic clock.
        wakeup = min(wakeup ?? .never, reading.monotonic + (wallWakeup - reading.wall))
      }
    }
    if let wakeup {
      lane(on: .monotonic).arm(for: wakeup, at: reading.monotonic)
    } else {
      monotonicLane?.arm(for: nil, at: reading.monotonic)
    }
  }

  /// Has the timers on the wall clock find their next deadlines anew when the clock was set back.
  private func noticeWallClockSetBack(at reading: ClockReading) {
    guard let wallLane else { return }
    // A clock that is slewed loses microseconds from pass to pass, which are let add up.
    let slack = Interval(nanoseconds: 10_000_000)
    let lead = reading.wall - reading.monotonic
    guard let greatest = wallLead, lead < greatest else {
      wallLead = lead
      return
    }
    guard lead.nanoseconds < greatest.nanoseconds.subtractingSaturated(slack.nanoseconds) else { return }
    wallLead = lead
    for record in wallLane.removeAll() {
      record.placement.entry = nil
      record.noteWallClockSetBack(at: reading)
      reconcile(record)
    }
  }

  private func lane(on timeline: Timeline) -> DeadlineLane {
    switch timeline {
    case .monotonic:
      if let monotonicLane { return monotonicLane }
      let lane = makeLane(on: .monotonic)
      monotonicLane = lane
      return lane
    case .wall:
      if let wallLane { return wallLane }
      let lane = makeLane(on: .wall)
      wallLane = lane
      return lane
    }
  }

  private func makeLane(on timeline: Timeline) -> DeadlineLane {
    // The source is called on the executor's queue. It doesn't keep the scheduler: live timers do.
    DeadlineLane(
      source: clock.makeWakeupSource(on: timeline, executor: executor) { [weak self] in
        self?.assumeIsolated { $0.wake(on: timeline) }
      })
  }
}
