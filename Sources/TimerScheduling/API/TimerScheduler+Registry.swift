// MARK: Finding timers

extension TimerScheduler {
  /// Returns the live timer with this name, which may be a stream's or a countdown's.
  ///
  /// - Complexity: O(1).
  public func timer(named name: String) -> ScheduledTimer? {
    entry(named: name).map { ScheduledTimer($0) }
  }

  /// Returns the live timer of an owner with this name.
  ///
  /// - Complexity: O(1).
  public func timer(named name: String, owner: some AnyObject & Sendable) -> ScheduledTimer? {
    entry(named: name, owner: owner).map { ScheduledTimer($0) }
  }

  /// Returns the live countdown with this name.
  ///
  /// - Complexity: O(1).
  public func countdown(named name: String) -> Countdown? {
    entry(named: name).flatMap { Countdown(of: $0) }
  }

  /// Returns the live countdown of an owner with this name.
  ///
  /// - Complexity: O(1).
  public func countdown(named name: String, owner: some AnyObject & Sendable) -> Countdown? {
    entry(named: name, owner: owner).flatMap { Countdown(of: $0) }
  }

  /// Returns the live timer that an identifier stands for.
  ///
  /// - Complexity: O(1). O(*n*) in the number of live timers for an identifier that was made from its description, and
  ///   once a timer of the scheduler was rescheduled from an interval to dates or the other way round.
  public func timer(id: ScheduledTimer.ID) -> ScheduledTimer? {
    driver.entry(id: id).map { ScheduledTimer($0) }
  }

  /// What all live timers are like, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of live timers.
  public var snapshots: [TimerSnapshot] {
    driver.snapshots
  }

  /// Returns what those live timers are like that meet a condition, in no particular order.
  ///
  /// It looks at one timer after the other on the calling thread, while timers go on to tick. So each is shown as it was
  /// when it was its turn, and a timer that is made or ends meanwhile may be missing. Among a hundred thousand timers,
  /// ``snapshots`` keeps the scheduler from its work for as long as it takes, and this doesn't.
  ///
  /// ```swift
  /// let paused = scheduler.snapshots { $0.state == .paused }
  /// logger.info("\(paused.count) timers are paused")
  /// ```
  ///
  /// - Parameter isIncluded: Says whether a timer's snapshot is returned.
  /// - Complexity: O(*n*) in the number of live timers.
  public nonisolated func snapshots(where isIncluded: (TimerSnapshot) -> Bool) -> [TimerSnapshot] {
    driver.snapshots(where: isIncluded)
  }

  /// What the timers are doing, and have done since the scheduler was made.
  ///
  /// ```swift
  /// let statistics = await scheduler.statistics
  /// logger.info("\(statistics.active) timers, up to \(statistics.lateness.p99) late at 99 %")
  /// ```
  ///
  /// - Complexity: O(1).
  public var statistics: TimerStatistics {
    driver.assumeIsolated { $0.statistics }
  }

  private func entry(named name: String) -> TimerEntry? {
    entry(named: TimerName(name, of: nil))
  }

  private func entry(named name: String, owner: some AnyObject & Sendable) -> TimerEntry? {
    driver.owners.reference(for: owner).flatMap { entry(named: TimerName(name, of: $0)) }
  }

  private func entry(named name: TimerName) -> TimerEntry? {
    // One that has just finished may still have its name.
    driver.names.entry(named: name).flatMap { $0.isFinished ? nil : $0 }
  }
}

// MARK: Controlling many

extension TimerScheduler {
  /// Pauses every live timer.
  ///
  /// - Complexity: O(*n*) in the number of live timers, as for the five calls after this one.
  public func pauseAll() {
    forAll { $0.pause(onQueue: true) }
  }

  /// Pauses every live timer of an owner.
  public func pauseAll(owner: some AnyObject & Sendable) {
    for entry in driver.owners.timers(of: owner) { entry.pause(onQueue: true) }
  }

  /// Resumes every paused timer.
  public func resumeAll(_ behavior: ResumeBehavior = .keepingRemainingTime) {
    forAll { $0.resume(behavior, onQueue: true) }
  }

  /// Resumes every paused timer of an owner.
  public func resumeAll(
    _ behavior: ResumeBehavior = .keepingRemainingTime, owner: some AnyObject & Sendable
  ) {
    for entry in driver.owners.timers(of: owner) { entry.resume(behavior, onQueue: true) }
  }

  /// Cancels every live timer.
  public func cancelAll() {
    forAll { $0.finish(.cancelled, onQueue: true) }
  }

  /// Cancels every live timer of an owner.
  public func cancelAll(owner: some AnyObject & Sendable) {
    for entry in driver.owners.timers(of: owner) { entry.finish(.cancelled, onQueue: true) }
  }

  private func forAll(_ change: (TimerEntry) -> Void) {
    for entry in driver.entries { change(entry) }
  }
}
