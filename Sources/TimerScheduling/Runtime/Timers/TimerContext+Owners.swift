/// The ends of owners and their timers.
extension TimerContext {
  /// Whether a timer's owner is gone. Must not be called on the timer queue, as checking may release an owner.
  package var hasOrphans: Bool { owners.hasWatched && owners.hasOrphans }

  /// Ends the timers whose owners are gone. Must not be called on the timer queue.
  package func endOrphans() { owners.forEachOrphan { $0.finish(.ownerReleased) } }

  /// Ends the timers of an owner that is being released.
  func endTimers(ofOwnerAt address: ObjectIdentifier) {
    for entry in owners.removeOwner(at: address) { entry.finish(.ownerReleased) }
  }
}
