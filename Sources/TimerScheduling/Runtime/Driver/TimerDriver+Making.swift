import Synchronization

extension TimerDriver {
  // MARK: Making timers

  /// Makes a timer, calls `hold` with it, and files it. A timer with the same name is ended first.
  ///
  /// The result of `hold` keeps the timer alive. It is made before another thread can find the timer, so that the
  /// timer can't end when that thread releases it.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, lifetime: TimerEntry.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking, hold: (TimerEntry) -> Hold
  ) -> Hold {
    makeTimer(schedule, name, lifetime, action, onError, hold) { make in make(nil) }
  }

  /// Makes a timer that ends with `owner`. `selfReleasing` is the owner if it reports its own release.
  nonisolated func makeTimer<Hold>(
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
  private nonisolated func makeTimer<Hold>(
    _ schedule: TimerSchedule, _ name: String?, _ lifetime: TimerEntry.Lifetime, _ action: TimerAction?,
    _ onError: ActionErrorBehavior, _ hold: (TimerEntry) -> Hold,
    enter: ((OwnerReference?) -> TimerEntry) -> TimerEntry
  ) -> Hold {
    let id = nextNumber()
    // Asks the schedule's rule before any lock is taken.
    let bound = bind(schedule)
    let entry = enter { owner in
      TimerEntry(
        id: id, attributes: .make(name: name, owner: owner, action?.owned), lifetime: lifetime, driver: self,
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

  /// Reads both clocks, to compute a deadline.
  nonisolated func read() -> ClockReading {
    let reading = clock.read()
    wallClockLead.note(reading)
    return reading
  }

  /// Notes the reading of a schedule once its timer is filed. A pass may have found the clock set back while the rule
  /// was being asked, before it could find the timer. The next pass then finds the clock set back again.
  nonisolated func noteAgain(_ bound: borrowing BoundSchedule) {
    if let reading = bound.reading { wallClockLead.note(reading) }
  }

  /// Binds a schedule to the clocks.
  nonisolated func bind(_ schedule: TimerSchedule) -> BoundSchedule {
    if let bound = BoundSchedule(
      simple: schedule, defaultTolerance: defaultTolerance, at: clock.readMonotonic())
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
  nonisolated func giveUp(_ entry: TimerEntry) {
    if let name = entry.name { names.free(TimerName(name, of: entry.owner), of: entry) }
    owners.leave(entry)
  }

  nonisolated var isShutDown: Bool { hasShutDown.load(ordering: .acquiring) }

  /// Waits for the beginning of the shutdown, even if the task is cancelled.
  nonisolated func waitForShutdown() async {
    await shutdownWaiters.wait { hasShutDown.load(ordering: .sequentiallyConsistent) ? nil : () }
  }

  /// Shuts down, for good. Running actions continue.
  ///
  /// A listener that takes a tick meanwhile gets it if it has found `hasShutDown` unset, under the lock of its timer.
  /// This thread can't tell that tick from one that was taken before: whatever it learns of the timer later, it learns
  /// under the same lock, from an event that was recorded there, or on the queue after ``close()``.
  nonisolated func shutdown() {
    guard !hasShutDown.exchange(true, ordering: .sequentiallyConsistent) else { return }
    shutdownWaiters.resumeFirst { _ in true }
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
    let wait = monitor.flatMap { monitor in
      tasks.runningCount == 0
        ? nil : monitor.shutdownWaitBegins(of: executor.number) { [tasks] in tasks.giveUpWaits() }
    }
    await tasks.waitUntilQuiet()
    if let wait { monitor?.shutdownWaitEnded(wait) }
    await observation.waitUntilDelivered()
  }

  private func close() {
    guard !hasClosed else { return }
    hasClosed = true
    closeShards(onQueue: true)
    runPass()
  }

  private nonisolated func closeShards(onQueue: Bool) {
    shards.close { $0.driverClosed(onQueue: onQueue) }
  }

  /// Ends the timers, which nothing holds any more. A tick that has fired can still be taken.
  nonisolated func abandon() {
    isAbandoned.store(true, ordering: .releasing)
    performElsewhere { [self] in
      closeShards(onQueue: false)
      // Not requested, as a pass that is under way may have read the deadlines by now, and the clock may be gone.
      postPass()
    }
  }
}

/// An owner that ends its timers itself when it is released, so that it needn't be checked.
protocol SelfReleasingOwner: AnyObject {
  /// Prepares for a timer of `driver` that is about to be made for this owner.
  func willOwnTimer(of driver: TimerDriver)
}
