extension TimerScheduler {
  /// The wakeup source of `timeline` has called.
  func wake(on timeline: Timeline) {
    lane(on: timeline).noteWakeup()
    wakeupCount += 1
    runPass()
  }

  /// Looks at what was posted, fires what is due, and asks for the next wakeup.
  ///
  /// All timers fired at once share one reading of the clocks, and so one date. Consumers are resumed
  /// as their timers fire, before the next wakeup is armed, which wakes Dispatch's own thread.
  func runPass() {
    var reading = fireDue()
    // Where the next is due within the time that it takes to be woken, it is waited for here. Others who want the
    // queue get it after a while.
    for _ in 0..<64 {
      guard let next = monotonicLane.nextWakeup(), next < reading.monotonic + clock.wakeupCost else { break }
      while clock.readMonotonic() < next {}
      reading = fireDue()
    }
    arm(at: reading)
    if !deferredRelease.isEmpty { callForDisposal() }
  }

  private func fireDue() -> ClockReading {
    drainInbox()
    let reading = clock.read()
    noticeWallClockSetBack(at: reading)
    fireExpired(in: monotonicLane, at: reading.monotonic, reading)
    if wallLane.count > 0 { fireExpired(in: wallLane, at: reading.wall, reading) }
    checkOwners(at: reading.monotonic)
    return reading
  }

  /// Looks at what was posted, unless there is nothing.
  package func lookAtPosted() {
    if !inbox.isEmpty { runPass() }
  }

  /// Has what timers have held released elsewhere, once nothing on the queue is under way with it.
  private func callForDisposal() {
    tasks.beginWork()
    executor.async { [self] in
      let parcel = assumeIsolated { $0.deferredRelease.pack() }
      performElsewhere { parcel.unpack() }
      tasks.endWork()
    }
  }

  /// Looks at what was posted.
  func drainInbox() {
    inbox.takeAll { reconcile($0) }
  }

  /// Fires what is due. Each timer is fired once, as it is then filed for a later moment.
  private func fireExpired(in lane: DeadlineLane, at now: Deadline, _ reading: ClockReading) {
    while let record = lane.popExpired(at: now) {
      record.placement = .none
      let (wish, lateness) = record.fire(at: reading)
      if let lateness { latenesses.record(lateness) }
      comply(with: following(reading, wish), of: record)
    }
  }

  /// The wish of a timer that was fired at `reading`, with a filing that is always later.
  private func following(_ reading: ClockReading, _ wish: TimerRecord.Wish) -> TimerRecord.Wish {
    switch wish {
    case .filed(let filing):
      let later = filing.following(reading)
      assert(later == filing, "A timer that was just fired is due again at \(filing.deadline).")
      return later.map { .filed($0) } ?? .unfiled
    case .unfiled, .gone:
      return wish
    }
  }

  // MARK: Filing

  /// Makes the registry and the deadline queues agree with what the record wants.
  func reconcile(_ record: TimerRecord) {
    switch record.placement.place {
    case .none: break
    case .filed(let timeline, let handle): lane(on: timeline).remove(handle)
    case .unfiled(let position): registry.leave(position)
    }
    record.placement = .none
    if isShutDown { record.finish(.schedulerShutDown, onQueue: true) }
    comply(with: record.collectWish(), of: record)
  }

  /// Does as a record wants that is nowhere.
  private func comply(with wish: TimerRecord.Wish, of record: TimerRecord) {
    switch wish {
    case .filed(let filing):
      let handle = lane(on: filing.timeline).insert(record, for: filing) { clock.read()[filing.timeline] }
      record.placement = .filed(filing.timeline, handle)
    case .unfiled:
      registry.enter(record)
    case .gone(let holdsError):
      if holdsError { deferredRelease.add(record) }
    }
  }

  /// All live timers, in no particular order, and some that have just ended.
  var records: [TimerRecord] {
    registry.records + monotonicLane.records + wallLane.records
  }

  var recordCount: Int { registry.records.count + monotonicLane.count + wallLane.count }

  func lane(on timeline: Timeline) -> DeadlineLane {
    switch timeline {
    case .monotonic: monotonicLane
    case .wall: wallLane
    }
  }
}
