/// The ends of owners, and of their timers.
extension TimerScheduler {
  /// Looks for owners that are gone, where it is time to. To look may release one, so it is done elsewhere.
  func checkOwners(at now: Deadline) {
    guard owners.hasWatched, recordCount > 0 else {
      nextOwnerCheck = nil
      return
    }
    if let nextOwnerCheck, nextOwnerCheck > now { return }
    if nextOwnerCheck != nil {
      performElsewhere { [self] in
        for orphan in owners.orphans() { orphan.finish(.ownerReleased) }
      }
    }
    nextOwnerCheck = now + ownerCheckInterval
  }

  /// Ends the timers of an owner that is being released.
  nonisolated func endTimers(ofOwnerAt address: ObjectIdentifier) {
    for record in owners.timers(ofOwnerAt: address) { record.finish(.ownerReleased) }
  }
}
