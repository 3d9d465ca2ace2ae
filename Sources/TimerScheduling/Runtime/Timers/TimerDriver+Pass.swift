import Synchronization

extension TimerDriver {
  func wake(on timeline: Timeline) {
    (timeline == .monotonic ? monotonicWakeup : wallWakeup).fired()
    wakeupCount += 1
    runPass()
  }

  private static let mostLooks = 64

  /// Fires all due timers, and arms the next wakeup. A pass that isn't `firing` fires none, and requests
  /// another one if a timer is due.
  ///
  /// All timers fired at one look share one reading of the clocks, and so one date. Consumers are resumed as
  /// their timers fire, before the next wakeup is armed, as arming wakes Dispatch's own thread.
  package func runPass(firing isFiring: Bool = true) {
    passCount += 1
    var lookCount = 0
    while true {
      lookCount += 1
      let isLastLook = lookCount == Self.mostLooks || !isFiring
      nextLook.store(.past, on: .monotonic)
      nextLook.store(.past, on: .wall)
      let reading = fireDue(isFiring)
      deadlines.publishFirst()
      let next = earliest
      if next.monotonic < reading.monotonic + clock.wakeupCost, !isLastLook {
        while clock.readMonotonic() < next.monotonic {}
        continue
      }
      // A deadline that is due by now was filed after its part of the queue was visited, or the pass fires
      // none. One at the end of time is never due.
      let hasDue = next.monotonic <= min(reading.monotonic, .last) || next.wall <= min(reading.wall, .last)
      // If the wall clock was set back, the kernel's timers would be late.
      let wallDue = next.wall < .never ? reading.monotonic + (next.wall - reading.wall) : .never
      let wakeup = min(next.monotonic, min(wallDue, nextOwnerCheck ?? .never))
      if !hasDue {
        nextLook.store(wakeup, on: .monotonic)
        nextLook.store(next.wall, on: .wall)
      }
      // Reads again what threads have announced meanwhile: deadlines, the first owner to check, and the lead
      // of the wall clock by which they have computed deadlines.
      let reread = earliest
      let misses = missesOwnerCheck || wallClock.isSetBack(at: reading)
      if hasDue || reread.monotonic < next.monotonic || reread.wall < next.wall || misses {
        if !isLastLook { continue }
        nextLook.store(.past, on: .monotonic)
        requestPass()
      } else {
        watchWallClock(isIdle: wakeup == .never && next.wall == .never)
        wallWakeup.arm(
          for: next.wall, at: reading.wall, in: self, isKept: wallClock.hasNotices && clock.virtual == nil)
        monotonicWakeup.arm(for: wakeup, at: reading.monotonic, in: self)
      }
      return
    }
  }

  private func fireDue(_ isFiring: Bool) -> ClockReading {
    let (reading, isSet) = wallClock.look(clock)
    if isFiring {
      fireExpired(on: .monotonic, at: reading)
      if hasWallDeadlines { fireExpired(on: .wall, at: reading) }
    }
    if isSet {
      followers = deadlines.entries(on: .wall).compactMap(\.timer)
      for notice in clockNotices.withLock(\.self) { performOffQueue(notice.perform) }
    }
    if !followers.isEmpty { followWallClock(at: reading) }
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
        let (lateness, hasRun) = timer.fire(at: reading)
        if hasRun { runs.append(timer) }
        if runs.count == Self.runBatchSize {
          runners?.submit(runs)
          runs.removeAll(keepingCapacity: true)
        }
        if let lateness { latenesses.record(lateness) }
      }
    }
    runners?.submit(runs)
  }

  private var earliest: ClockReading {
    ClockReading(monotonic: deadlines.first(on: .monotonic), wall: deadlines.first(on: .wall))
  }

  var hasWallDeadlines: Bool { deadlines.first(on: .wall) < .never }
}
