import Synchronization

/// The ends of owners and their timers.
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
    // A check may take longer than the interval. One task then checks again, instead of one task for each interval.
    if nextOwnerCheck != nil, owners.check.request() {
      performElsewhere { [self] in owners.check.perform { endOrphans() } }
    }
    // Where time stands still, the clock makes the checks.
    nextOwnerCheck = clock.monitor == nil ? now + ownerCheckInterval : .never
  }

  /// Whether there are owners to check, and no check is planned.
  var missesOwnerCheck: Bool { nextOwnerCheck == nil && owners.hasWatched }

  /// Whether a timer's owner is gone. Must not be called on the timer queue, as checking may release an owner.
  package nonisolated var hasOrphans: Bool { owners.hasWatched && owners.hasOrphans }

  /// Ends the timers whose owners are gone. Must not be called on the timer queue.
  package nonisolated func endOrphans() { owners.forEachOrphan { $0.finish(.ownerReleased) } }

  /// Ends the timers of an owner that is being released.
  nonisolated func endTimers(ofOwnerAt address: ObjectIdentifier) {
    for entry in owners.removeOwner(at: address) { entry.finish(.ownerReleased) }
  }
}
