import Synchronization

nonisolated extension TimerDriver {
  /// Makes a timer, calls `hold` with it, and files it. A timer with the same name is ended first.
  ///
  /// The result of `hold` keeps the timer alive. It is made before another thread can find the timer, so that
  /// the timer can't end when that thread releases it.
  ///
  /// Inlined, so that a call pays only for what it needs.
  @inline(__always)
  func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, owner: (any AnyObject & Sendable)? = nil,
    endsUnheld: Bool = false, hasStream: Bool = false, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking, hold: (TimerEntry) -> Hold
  ) -> Hold {
    let owner = owner.flatMap { $0 === TimerOwner.none ? nil : $0 }
    // An owner that ends its timers itself when it is released needn't be checked.
    let selfReleasing = owner.flatMap { $0 as? TimerOwner }
    selfReleasing?.willOwnTimer(of: self)
    let id = nextNumber()
    // Asks the schedule's rule before any lock is taken.
    var bound: ClockReading?
    let recurrence = bind(schedule, at: clock.readMonotonic(), &bound)
    // A constant, so that the closure that captures it needs no memory.
    let reading = bound
    // Given the recurrence, as capturing it would copy it.
    func make(_ recurrence: Recurrence, ownedBy owner: OwnerReference?) -> TimerEntry {
      TimerEntry(
        id: id, attributes: .make(name: name, owner: owner, action?.owned), endsUnheld: endsUnheld,
        driver: self,
        machine: TimerStateMachine(
          recurrence, action: action, hasStream: hasStream, onError: onError, at: reading ?? read()))
    }
    let isWatched = owner != nil && selfReleasing == nil
    let entry: TimerEntry
    if let owner {
      let (made, orphans) = owners.enter(ownedBy: owner, isWatched: isWatched) {
        make(recurrence, ownedBy: $0)
      }
      for orphan in orphans { orphan.finish(.ownerReleased) }
      entry = made
    } else {
      entry = make(recurrence, ownedBy: nil)
    }
    let held = hold(entry)
    if let name { names.assign(TimerName(name, of: entry.owner), to: entry) }
    entry.start(isPaused: schedule.options.isPaused)
    noteAgain(reading)
    // Needed for the first owner that doesn't report its own release.
    if isWatched, owners.hasWatched, !checksOwners.load(ordering: .sequentiallyConsistent) {
      watchOwners()
    }
    return held
  }

  /// Binds a schedule to the clocks. If that is the wall clock, `reading` is that of both.
  func bind(_ schedule: TimerSchedule, at now: Deadline, _ reading: inout ClockReading?) -> Recurrence {
    Recurrence(schedule, defaultTolerance: defaultTolerance, jitterSeed: nextJitterSeed(), at: now) {
      let both = read()
      reading = both
      return both
    }
  }

  /// Returns a seed of a timer's own. The seeds are the same in every scheduler with the same seed.
  func nextJitterSeed() -> UInt64 {
    let number = jitteredCount.add(1, ordering: .relaxed).newValue
    return jitterSeed ^ (number &* 0x9E37_79B9_7F4A_7C15)
  }

  /// Frees the name of a timer that has finished, and removes it from its owner.
  func giveUp(_ entry: TimerEntry) {
    if let name = entry.name { names.free(TimerName(name, of: entry.owner), of: entry) }
    owners.leave(entry)
  }

  package var isShutDown: Bool { hasShutDown.load(ordering: .acquiring) }
}
