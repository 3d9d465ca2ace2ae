import Synchronization

/// The ends of owners and their timers.
extension TimerDriver {
  /// Checks for owners that are gone, if a check is due. Checking may release an owner, so a task does it.
  func checkOwners(at now: Deadline) {
    // Stored first, so that a thread that adds an owner that isn't seen here schedules another pass.
    context.checksOwners.store(true, ordering: .sequentiallyConsistent)
    guard context.owners.hasWatched else {
      context.checksOwners.store(false, ordering: .sequentiallyConsistent)
      if context.owners.hasWatched {
        // The thread that adds it may have read the value before, and so not told the clock.
        context.clock.watchOwners(of: context)
        return checkOwners(at: now)
      }
      nextOwnerCheck = nil
      return
    }
    if let nextOwnerCheck, nextOwnerCheck > now { return }
    // A check may take longer than the interval. One task then checks again, instead of one task for each interval.
    if nextOwnerCheck != nil, context.owners.check.request() {
      context.performElsewhere { [context] in context.owners.check.perform { context.endOrphans() } }
    }
    // Where time stands still, the clock makes the checks.
    nextOwnerCheck = context.clock.standsStill ? .never : now + context.ownerCheckInterval
  }

  /// Whether there are owners to check, and no check is planned.
  var missesOwnerCheck: Bool { nextOwnerCheck == nil && context.owners.hasWatched }
}
