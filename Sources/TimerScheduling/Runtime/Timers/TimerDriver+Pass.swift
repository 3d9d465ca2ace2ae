import Synchronization

extension TimerDriver {
  func wake(on timeline: Timeline) {
    switch timeline {
    case .monotonic: monotonicWakeup.fired()
    case .wall: wallWakeup.fired()
    }
    wakeupCount += 1
    runPass()
  }

  /// The number of looks after which a pass yields the queue.
  private static let mostLooks = 64

  /// Fires all due timers, and arms the next wakeup.
  ///
  /// All timers fired at one look share one reading of the clocks, and so one date. Consumers are resumed as their
  /// timers fire, before the next wakeup is armed, as arming wakes Dispatch's own thread.
  ///
  /// A pass that isn't `firing` only arms, and requests another one if a timer is due.
  package func runPass(firing isFiring: Bool = true) {
    passCount += 1
    var lookCount = 0
    while true {
      lookCount += 1
      let isLastLook = lookCount == Self.mostLooks || !isFiring
      armed.store(.past, on: .monotonic)
      armed.store(.past, on: .wall)
      let reading = fireDue(isFiring)
      deadlines.publishFirst()
      let next = earliest
      // If the next deadline is closer than the cost of a wakeup, spins until it comes.
      if next.monotonic < reading.monotonic + clock.wakeupCost, !isLastLook {
        while clock.readMonotonic() < next.monotonic {}
        continue
      }
      // A deadline that is due by now was filed after its part of the queue was visited. A deadline at the end of time is never
      // due.
      let hasDue =
        next.monotonic <= min(reading.monotonic, .last) || next.wall <= min(reading.wall, .last)
      let wakeup = min(next.monotonic, wakeup(besides: next, at: reading))
      if !hasDue {
        armed.store(wakeup, on: .monotonic)
        armed.store(next.wall, on: .wall)
      }
      // Reads again what threads have announced since the pass has read it: deadlines, the first owner to check, and
      // the lead of the wall clock by which they have computed deadlines.
      let reread = earliest
      let misses = missesOwnerCheck || missesSetBack(at: reading, next)
      if hasDue || reread.monotonic < next.monotonic || reread.wall < next.wall || misses {
        if !isLastLook { continue }
        armed.store(.past, on: .monotonic)
        clock.requestPass(of: self)
      } else {
        wallWakeup.arm(for: next.wall, at: reading.wall, in: self)
        monotonicWakeup.arm(for: wakeup, at: reading.monotonic, in: self)
      }
      releaseTimersIfNone()
      return
    }
  }

  private func fireDue(_ isFiring: Bool) -> ClockReading {
    let lead = wallClockLead.current
    let reading = clock.read()
    noticeWallClockSetBack(since: lead, at: reading)
    if isFiring {
      fireExpired(on: .monotonic, at: reading)
      if hasWallDeadlines { fireExpired(on: .wall, at: reading) }
    }
    checkOwners(at: reading.monotonic)
    return reading
  }

  private static let runBatchSize = 64

  /// Fires the due timers of one clock. Each is fired once, as it is then filed for a later moment.
  private func fireExpired(on timeline: Timeline, at reading: ClockReading) {
    var due = deadlines.takeDue(on: timeline, at: reading[timeline])
    var runs: [TimerEntry] = []
    while let entry = due.next() {
      switch entry {
      case .wait(let wait): wait.end(isReached: true)
      case .timer(let timer):
        let firing = timer.fire(at: reading)
        if let run = firing.timerToRun { runs.append(run) }
        if runs.count == Self.runBatchSize {
          runners?.submit(runs)
          runs.removeAll(keepingCapacity: true)
        }
        if let lateness = firing.lateness { latenesses.record(lateness) }
        if firing.holdsError { releaseLater(timer) }
      }
    }
    runners?.submit(runs)
  }

  private var earliest: ClockReading {
    ClockReading(monotonic: deadlines.first(on: .monotonic), wall: deadlines.first(on: .wall))
  }

  private var hasWallDeadlines: Bool { deadlines.first(on: .wall) < .never }

  /// Returns the moment of the next wakeup for anything but a timer on the monotonic clock.
  private func wakeup(besides next: ClockReading, at reading: ClockReading) -> Deadline {
    var wakeup = nextOwnerCheck ?? .never
    if next.wall < .never {
      // The kernel wakes the process if the wall clock is set forward. If the clock was set back, the kernel's timers
      // would be late. So there is also a wakeup when the time is up by the monotonic clock.
      wakeup = min(wakeup, reading.monotonic + (next.wall - reading.wall))
    }
    return wakeup
  }

  /// Whether this look has missed that the clock was set back: a thread that has computed a deadline noted a greater lead
  /// after the look had taken it.
  private func missesSetBack(at reading: ClockReading, _ next: ClockReading) -> Bool {
    next.wall < .never && reading.isSetBack(sinceLead: wallClockLead.current)
  }

  private func noticeWallClockSetBack(since lead: Interval, at reading: ClockReading) {
    guard hasWallDeadlines, wallClockLead.noticeSetBack(since: lead, at: reading) else { return }
    for entry in deadlines.entries(on: .wall) { entry.timer?.wallClockSetBack(at: reading) }
  }
}

extension TimerDriver {
  /// Checks for owners that are gone, if a check is due. Checking may release an owner, so a task does it.
  func checkOwners(at now: Deadline) {
    // Stored first, so that a thread that adds an owner that isn't seen here schedules another pass.
    checksOwners.store(true, ordering: .sequentiallyConsistent)
    guard owners.hasWatched else {
      checksOwners.store(false, ordering: .sequentiallyConsistent)
      if owners.hasWatched {
        // The thread that adds it may have read the value before, and so not told the clock.
        clock.watchOwners(of: self)
        return checkOwners(at: now)
      }
      nextOwnerCheck = nil
      return
    }
    if let nextOwnerCheck, nextOwnerCheck > now { return }
    if nextOwnerCheck != nil { performElsewhere { [self] in endOrphans() } }
    // Where time stands still, the clock makes the checks.
    nextOwnerCheck = clock.standsStill ? .never : now + ownerCheckInterval
  }

  var missesOwnerCheck: Bool { nextOwnerCheck == nil && owners.hasWatched }
}
