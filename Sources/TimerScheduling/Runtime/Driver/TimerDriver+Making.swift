import Synchronization

extension TimerDriver {
  // MARK: Making timers

  /// Makes a timer, has it held by what `hold` returns, and files it. A timer that has its name is ended first.
  ///
  /// It is held before another thread can find it, so that it can't end with that thread's hold.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, lifetime: TimerEntry.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking, hold: (TimerEntry) -> Hold
  ) -> Hold {
    makeTimer(schedule, name, lifetime, action, onError, hold) { make in make(nil) }
  }

  /// Makes a timer that ends with `owner`, which is `selfReleasing` if it tells of its release.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, owner: some AnyObject & Sendable,
    as selfReleasing: (any SelfReleasingOwner)?, lifetime: TimerEntry.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking,
    hold: (TimerEntry) -> Hold
  ) -> Hold {
    selfReleasing?.willOwnTimer(of: self)
    defer {
      // From the first owner on that doesn't tell of its release.
      if selfReleasing == nil, owners.hasWatched, !checksOwners.load(ordering: .sequentiallyConsistent) {
        wake(.pass)
      }
    }
    return makeTimer(schedule, name, lifetime, action, onError, hold) { make in
      let (entry, orphans) = owners.enter(
        ownedBy: owner, isWatched: selfReleasing == nil, make)
      for orphan in orphans { orphan.finish(.ownerReleased) }
      return entry
    }
  }

  /// Makes a timer, which `enter` has made for the reference of its owner.
  private nonisolated func makeTimer<Hold>(
    _ schedule: TimerSchedule, _ name: String?, _ lifetime: TimerEntry.Lifetime, _ action: TimerAction?,
    _ onError: ActionErrorBehavior, _ hold: (TimerEntry) -> Hold,
    enter: ((OwnerReference?) -> TimerEntry) -> TimerEntry
  ) -> Hold {
    let id = Self.lastNumber.add(1, ordering: .relaxed).newValue
    // Asks the schedule's rule, before any lock is taken.
    let bound = bind(schedule)
    let entry = enter { owner in
      TimerEntry(
        id: id, badge: .badge(name: name, owner: owner, action?.owned), lifetime: lifetime, driver: self,
        shared: TimerShared(
          machine: TimerStateMachine(bound, at: bound.reading ?? clock.read()), action: action,
          onError: onError
        ))
    }
    let held = hold(entry)
    if let name { names.assign(TimerName(name, of: entry.owner), to: entry) }
    entry.start()
    return held
  }

  /// Binds a schedule to the clocks.
  nonisolated func bind(_ schedule: TimerSchedule) -> BoundSchedule {
    if let bound = BoundSchedule(
      simple: schedule, defaultTolerance: defaultTolerance, at: clock.readMonotonic())
    {
      return bound
    }
    let reading = clock.read()
    // Another seed for each timer, and the same ones in every scheduler that has the same seed itself.
    let number = schedule.options.jitter > .zero ? jitteredCount.add(1, ordering: .relaxed).newValue : 0
    let seed = jitterSeed ^ (number &* 0x9E37_79B9_7F4A_7C15)
    return BoundSchedule(schedule, defaultTolerance: defaultTolerance, jitterSeed: seed, at: reading)
  }

  // MARK: Ending timers

  /// The timer has finished, so that its name is free again and its owner has it no longer.
  nonisolated func giveUp(_ entry: TimerEntry) {
    if let name = entry.name { names.free(TimerName(name, of: entry.owner), of: entry) }
    owners.leave(entry)
  }

  nonisolated var isShutDown: Bool { hasShutDown.load(ordering: .acquiring) }

  /// Waits for the beginning of the shutdown, whether or not the task is cancelled.
  nonisolated func waitForShutdown() async {
    await shutdownWaiters.wait { hasShutDown.load(ordering: .sequentiallyConsistent) ? nil : () }
  }

  /// Shuts down, for good. Running actions go on.
  nonisolated func shutdown() {
    guard !hasShutDown.exchange(true, ordering: .sequentiallyConsistent) else { return }
    shutdownWaiters.resume { _ in true }
    executor.async { [self] in assumeIsolated { $0.close() } }
  }

  /// Shuts down, and cancels the tasks of running actions.
  package nonisolated func stop() {
    shutdown()
    for entry in entries { entry.cancelAction() }
  }

  /// Waits until nothing is under way after the shutdown.
  nonisolated func waitUntilShutDown() async {
    await close()
    await tasks.waitUntilQuiet()
    await observation.waitUntilDelivered()
  }

  private func close() {
    closeShards(onQueue: true)
    runPass()
  }

  private nonisolated func closeShards(onQueue: Bool) {
    shards.forEach { shard in
      for entry in shard.close() { entry.driverClosed(onQueue: onQueue) }
    }
  }

  /// Nothing holds the timers any more, which end. A tick that has fired can still be taken.
  nonisolated func abandon() {
    isAbandoned.store(true, ordering: .releasing)
    performElsewhere { [self] in
      closeShards(onQueue: false)
      wake(.pass)
    }
  }
}

/// An owner that ends its timers itself when it is released, and needn't be looked for.
protocol SelfReleasingOwner: AnyObject {
  /// A timer of `driver` is about to be made for this owner.
  func willOwnTimer(of driver: TimerDriver)
}
