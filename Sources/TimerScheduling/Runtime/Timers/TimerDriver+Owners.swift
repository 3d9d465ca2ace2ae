import Synchronization

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

  /// Whether there are owners to check, and no check is planned.
  var missesOwnerCheck: Bool { nextOwnerCheck == nil && owners.hasWatched }
}
