extension TimerScheduler {
  /// Returns the live timer with this name, perhaps a stream's: that of an owner, or one without an owner.
  ///
  /// - Complexity: O(1).
  public nonisolated func timer(
    named name: String, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> ScheduledTimer? {
    entry(named: name, of: owner).map { ScheduledTimer($0) }
  }

  /// Returns the live countdown with this name: that of an owner, or one without an owner.
  ///
  /// - Complexity: O(1).
  public nonisolated func countdown(
    named name: String, owner: some AnyObject & Sendable = TimerOwner.none
  ) -> Countdown? {
    entry(named: name, of: owner).flatMap { $0.countdown == nil ? nil : Countdown(ScheduledTimer($0)) }
  }

  /// Returns the live timer with this identifier.
  ///
  /// - Complexity: O(1). O(*n*) in the number of live timers for an identifier that was made from its
  ///   description.
  public nonisolated func timer(id: TimerID) -> ScheduledTimer? {
    driver.entry(id: id).map { ScheduledTimer($0) }
  }

  /// Snapshots of all live timers, in no particular order.
  ///
  /// One timer after another is visited, on no actor, while timers continue to tick. Each snapshot shows the
  /// moment of its own visit, and a timer that is made or ends meanwhile may be missing.
  ///
  /// - Complexity: O(*n*) in the number of live timers.
  @concurrent public nonisolated var snapshots: [TimerSnapshot] { get async { driver.snapshots } }

  /// Statistics of the timers, as of now and since the scheduler was made.
  ///
  /// - Complexity: O(1).
  public var statistics: TimerStatistics { driver.assumeIsolated { $0.statistics } }

  /// How the actions of the process, of all its schedulers, use the threads that they share.
  ///
  /// `waitingRunCount` actions wait for a thread, before they begin or after they were suspended.
  /// `blockedCount` threads are blocked by an action, or were kept busy for several milliseconds while others
  /// waited. There are at most 64 threads more than processors. While all of them are blocked, no other
  /// action begins or goes on. Actions that are bound to an actor don't count.
  ///
  /// - Complexity: O(1).
  public static var sharedThreads: (waitingRunCount: Int, blockedCount: Int) { TimerDriver.sharedThreads }

  private nonisolated func entry(named name: String, of owner: some AnyObject & Sendable) -> TimerEntry? {
    let isOwned = owner !== TimerOwner.none
    let reference = isOwned ? driver.owners.reference(for: owner) : nil
    if isOwned, reference == nil { return nil }
    // A timer that has just finished may still have its name.
    return driver.names.entry(named: TimerName(name, of: reference)).flatMap { $0.isFinished ? nil : $0 }
  }

  /// Pauses every live timer.
  ///
  /// Timers are paused one after the other while others tick. When this returns, all that were live at the
  /// call are paused, unless they have finished or were resumed since.
  ///
  /// - Complexity: O(*n*) in the number of live timers, as for the five calls after this one.
  @concurrent public nonisolated func pauseAll() async {
    for entry in driver.entries { entry.pause() }
  }

  /// Pauses every live timer of an owner.
  @concurrent public nonisolated func pauseAll(owner: some AnyObject & Sendable) async {
    for entry in driver.owners.timers(of: owner) { entry.pause() }
  }

  /// Resumes every paused timer.
  @concurrent public nonisolated func resumeAll(_ behavior: ResumeBehavior = .keepingRemainingTime) async {
    for entry in driver.entries { entry.resume(behavior) }
  }

  /// Resumes every paused timer of an owner.
  @concurrent public nonisolated func resumeAll(
    _ behavior: ResumeBehavior = .keepingRemainingTime, owner: some AnyObject & Sendable
  ) async {
    for entry in driver.owners.timers(of: owner) { entry.resume(behavior) }
  }

  /// Cancels every live timer.
  @concurrent public nonisolated func cancelAll() async {
    for entry in driver.entries { entry.finish(.cancelled) }
  }

  /// Cancels every live timer of an owner.
  @concurrent public nonisolated func cancelAll(owner: some AnyObject & Sendable) async {
    for entry in driver.owners.timers(of: owner) { entry.finish(.cancelled) }
  }
}
