import Synchronization

nonisolated extension TimerDriver {
  /// Has the owners of timers checked: by passes or, on a virtual clock, by the clock.
  func watchOwners() {
    if let virtual { virtual.watchOwners(of: self) } else { announcePass() }
  }

  package var hasOrphans: Bool { owners.hasWatched && owners.hasOrphans }

  package func endOrphans() { owners.forEachOrphan { $0.finish(.ownerReleased) } }

  func endTimers(ofOwnerAt address: ObjectIdentifier) {
    for entry in owners.removeOwner(at: address) { entry.finish(.ownerReleased) }
  }
}

extension TimerDriver {
  /// Checks for owners that are gone, if a check is due. Checking may release an owner, so a task does it.
  func checkOwners(at now: Deadline) {
    // Stored first, so that a thread that adds an owner from here on needs no other pass.
    checksOwners.store(true, ordering: .sequentiallyConsistent)
    guard owners.hasWatched else {
      checksOwners.store(false, ordering: .sequentiallyConsistent)
      if owners.hasWatched {
        // The thread that adds it may have read `true`, and so not told the clock.
        watchOwners()
        return checkOwners(at: now)
      }
      nextOwnerCheck = nil
      return
    }
    if let nextOwnerCheck, nextOwnerCheck > now { return }
    if nextOwnerCheck != nil { performOffQueue { [self] in endOrphans() } }
    // Where time stands still, the clock makes the checks.
    nextOwnerCheck = clock.virtual != nil ? .never : now + ownerCheckInterval
  }

  var missesOwnerCheck: Bool { nextOwnerCheck == nil && owners.hasWatched }
}
