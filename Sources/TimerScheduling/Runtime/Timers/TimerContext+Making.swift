import Synchronization

extension TimerContext {
  // MARK: Making timers

  /// Makes a timer, calls `hold` with it, and files it. A timer with the same name is ended first.
  ///
  /// The result of `hold` keeps the timer alive. It is made before another thread can find the timer, so that the
  /// timer can't end when that thread releases it.
  func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, lifetime: TimerEntry.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking, hold: (TimerEntry) -> Hold
  ) -> Hold {
    makeTimer(schedule, name, lifetime, action, onError, hold) { make in make(nil) }
  }

  /// Makes a timer that ends with `owner`. `selfReleasing` is the owner if it reports its own release.
  func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, owner: some AnyObject & Sendable,
    as selfReleasing: (any SelfReleasingOwner)?, lifetime: TimerEntry.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking,
    hold: (TimerEntry) -> Hold
  ) -> Hold {
    selfReleasing?.willOwnTimer(of: self)
    defer {
      // Needed for the first owner that doesn't report its own release.
      if selfReleasing == nil, owners.hasWatched, !checksOwners.load(ordering: .sequentiallyConsistent) {
        clock.watchOwners(of: self)
      }
    }
    return makeTimer(schedule, name, lifetime, action, onError, hold) { make in
      let (entry, orphans) = owners.enter(
        ownedBy: owner, isWatched: selfReleasing == nil, make)
      for orphan in orphans { orphan.finish(.ownerReleased) }
      return entry
    }
  }

  /// Makes a timer through `enter`, which passes the reference of its owner.
  private func makeTimer<Hold>(
    _ schedule: TimerSchedule, _ name: String?, _ lifetime: TimerEntry.Lifetime, _ action: TimerAction?,
    _ onError: ActionErrorBehavior, _ hold: (TimerEntry) -> Hold,
    enter: ((OwnerReference?) -> TimerEntry) -> TimerEntry
  ) -> Hold {
    let id = nextNumber()
    // Asks the schedule's rule before any lock is taken.
    let bound = bind(schedule)
    let entry = enter { owner in
      TimerEntry(
        id: id, attributes: .make(name: name, owner: owner, action?.owned), lifetime: lifetime, context: self,
        shared: TimerShared(
          machine: TimerStateMachine(bound, at: bound.reading ?? read()), action: action,
          onError: onError
        ))
    }
    let held = hold(entry)
    if let name { names.assign(TimerName(name, of: entry.owner), to: entry) }
    entry.start(isPaused: schedule.options.isPaused)
    noteAgain(bound)
    return held
  }

  /// Notes the reading of a schedule once its timer is filed. A pass may have found the clock set back while the rule
  /// was being asked, before it could find the timer. The next pass then finds the clock set back again.
  func noteAgain(_ bound: borrowing BoundSchedule) {
    if let reading = bound.reading { wallClockLead.note(reading) }
  }

  /// Binds a schedule to the clocks.
  func bind(_ schedule: TimerSchedule) -> BoundSchedule {
    if let bound = BoundSchedule(
      schedule, defaultTolerance: defaultTolerance, at: clock.readMonotonic())
    {
      return bound
    }
    let reading = read()
    // Each timer has a seed of its own, and the seeds are the same in every scheduler with the same seed.
    let number = schedule.options.jitter > .zero ? jitteredCount.add(1, ordering: .relaxed).newValue : 0
    let seed = jitterSeed ^ (number &* 0x9E37_79B9_7F4A_7C15)
    return BoundSchedule(schedule, defaultTolerance: defaultTolerance, jitterSeed: seed, at: reading)
  }

  // MARK: Ending timers

  /// Frees the name of a timer that has finished, and removes it from its owner.
  func giveUp(_ entry: TimerEntry) {
    if let name = entry.name { names.free(TimerName(name, of: entry.owner), of: entry) }
    owners.leave(entry)
  }

  var isShutDown: Bool { hasShutDown.load(ordering: .acquiring) }
}

/// An owner that ends its timers itself when it is released, so that it needn't be checked.
protocol SelfReleasingOwner: AnyObject {
  /// Prepares for a timer of `context` that is about to be made for this owner.
  func willOwnTimer(of context: TimerContext)
}
