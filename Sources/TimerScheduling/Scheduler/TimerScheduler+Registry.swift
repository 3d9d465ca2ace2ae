// MARK: Finding timers

extension TimerScheduler {
  /// Returns the live timer with this name, which may be a stream's or a countdown's.
  ///
  /// - Complexity: O(1).
  public func timer(named name: String) -> ScheduledTimer? {
    record(named: name).map { ScheduledTimer($0) }
  }

  /// Returns the live timer of an owner with this name.
  ///
  /// - Complexity: O(1).
  public func timer(named name: String, owner: some AnyObject & Sendable) -> ScheduledTimer? {
    record(named: name, owner: owner).map { ScheduledTimer($0) }
  }

  /// Returns the live countdown with this name.
  ///
  /// - Complexity: O(1).
  public func countdown(named name: String) -> Countdown? {
    record(named: name).flatMap { Countdown(of: $0) }
  }

  /// Returns the live countdown of an owner with this name.
  ///
  /// - Complexity: O(1).
  public func countdown(named name: String, owner: some AnyObject & Sendable) -> Countdown? {
    record(named: name, owner: owner).flatMap { Countdown(of: $0) }
  }

  /// Returns the live timer that an identifier stands for.
  ///
  /// - Complexity: O(*n*) in the number of live timers.
  public func timer(id: ScheduledTimer.ID) -> ScheduledTimer? {
    lookAtPosted()
    return records.first { $0.id == id.number && !$0.isFinished }.map { ScheduledTimer($0) }
  }

  /// What all live timers are like, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of live timers.
  public var snapshots: [TimerSnapshot] {
    lookAtPosted()
    let reading = clock.read()
    return records.compactMap { $0.snapshot(at: reading) }
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
    lookAtPosted()
    let paused = observation.pausedCount
    return TimerStatistics(
      active: max(recordCount - paused, 0), paused: paused, running: tasks.runningCount,
      ticks: observation.tickCount, missed: observation.missedCount, failures: observation.failureCount,
      wakeups: wakeupCount, droppedEvents: observation.droppedCount,
      lateness: TimerStatistics.Lateness(latenesses))
  }

  private func record(named name: String) -> TimerRecord? {
    record(named: TimerName(name, of: nil))
  }

  private func record(named name: String, owner: some AnyObject & Sendable) -> TimerRecord? {
    owners.reference(for: owner).flatMap { record(named: TimerName(name, of: $0)) }
  }

  private func record(named name: TimerName) -> TimerRecord? {
    // One that has just finished may still have its name.
    names.record(named: name).flatMap { $0.isFinished ? nil : $0 }
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
    for record in owners.timers(of: owner) { record.pause(onQueue: true) }
  }

  /// Resumes every paused timer.
  public func resumeAll(_ behavior: ResumeBehavior = .keepingRemainingTime) {
    forAll { $0.resume(behavior, onQueue: true) }
  }

  /// Resumes every paused timer of an owner.
  public func resumeAll(
    _ behavior: ResumeBehavior = .keepingRemainingTime, owner: some AnyObject & Sendable
  ) {
    for record in owners.timers(of: owner) { record.resume(behavior, onQueue: true) }
  }

  /// Cancels every live timer.
  public func cancelAll() {
    forAll { $0.finish(.cancelled, onQueue: true) }
  }

  /// Cancels every live timer of an owner.
  public func cancelAll(owner: some AnyObject & Sendable) {
    for record in owners.timers(of: owner) { record.finish(.cancelled, onQueue: true) }
  }

  private func forAll(_ change: (TimerRecord) -> Void) {
    lookAtPosted()
    for record in records { change(record) }
  }
}
