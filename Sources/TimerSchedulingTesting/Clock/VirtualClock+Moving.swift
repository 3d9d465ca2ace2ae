import TimerScheduling
public import TimerSchedulingFoundation

// None of these methods runs on the caller's actor, as they wait for schedulers, which are actors.
extension VirtualClock {
  /// Moves the clock forward, from deadline to deadline.
  ///
  /// Returns when all that is due by then was delivered and no task of the clock has anything to do. The
  /// monotonic and the wall clock move together. Calls from several tasks take turns: a call that an action
  /// makes begins when the call under way has ended. If the calling task is cancelled, the clock stops at its
  /// present moment, even between two deliveries of that moment; the next call delivers the rest. A call in a
  /// task that was already cancelled doesn't move the clock.
  ///
  /// At one moment, schedulers fire in the order in which they were made. Timers of a scheduler fire in the
  /// order in which they were made, rescheduled or last ticked. Sleeps end after them. A timer that is due as
  /// soon as it is made fires in the next call.
  ///
  /// - Parameters:
  ///   - duration: The distance to move. Zero delivers what is due by now.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func advance(
    by duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    precondition(duration >= .zero, "An advance must be zero or more, but \(duration) was given.")
    await move(at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)) {
      $0.monotonic + Interval(duration)
    }
  }

  /// Moves the clock forward by a number of seconds, as
  /// ``advance(by:fileID:filePath:line:column:)-(Duration,_,_,_,_)`` does.
  ///
  /// - Parameters:
  ///   - seconds: The distance to move. Zero delivers what is due by now.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `seconds` is finite and isn't negative.
  @_disfavoredOverload
  @concurrent
  public func advance(
    by seconds: TimeInterval, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    await advance(
      by: .orStop(seconds: seconds), fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Moves the clock forward until the wall clock shows a date, as
  /// ``advance(by:fileID:filePath:line:column:)-(Duration,_,_,_,_)`` does.
  ///
  /// If the wall clock already shows that date or a later one, this delivers what is due by now.
  ///
  /// - Parameters:
  ///   - date: The date to move to.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `date` is a number.
  @concurrent
  public func advance(
    to date: Date, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    let deadline = Deadline(orStop: date)
    await move(at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)) {
      $0.monotonic + max(deadline - $0.wall, .zero)
    }
  }

  /// Moves the clock forward until no timer and no sleep is left to wait for.
  ///
  /// A repeating timer with a listener always has a next deadline, so the clock doesn't become idle.
  ///
  /// - Parameters:
  ///   - limit: The longest distance to move. Without one, it is a day, and the test fails if the clock isn't
  ///     idle then.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: Whether nothing is left to wait for. The clock then shows the time of the last deadline.
  /// - Precondition: `limit` isn't negative.
  @concurrent
  @discardableResult
  public func runUntilIdle(
    limit: Duration? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async -> Bool {
    let distance = limit ?? .seconds(86_400)
    precondition(distance >= .zero, "A limit of a run must be zero or more, but \(distance) was given.")
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let isIdle = await move(at: location, stoppingWhenIdle: true) { $0.monotonic + Interval(distance) }
    if !isIdle, limit == nil, !Task.isCancelled {
      core.fail("The clock has run for a day and isn't idle\(core.describeNextTimer()). Give a `limit`.")
      core.reportFailures(at: location)
    }
    return isIdle
  }

  /// Lets time pass without a wakeup, as if the process were stopped, and then delivers what has become due.
  ///
  /// Does nothing in a task that was already cancelled.
  ///
  /// - Parameters:
  ///   - duration: The time that passes.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func stall(
    for duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    precondition(duration >= .zero, "A stall must be zero or more, but \(duration) was given.")
    await move(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      first: { $0.pass(Interval(duration)) }
    ) {
      $0.monotonic
    }
  }

  /// Sets the wall clock, forward or back, while the monotonic clock stands still.
  ///
  /// Delivers what becomes due by the change. As on a real machine, schedulers notice at once that the clock
  /// was set. Does nothing in a task that was already cancelled.
  ///
  /// - Parameters:
  ///   - date: The date that the wall clock shows from then on.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: `date` is a number.
  @concurrent
  public func setWallClock(
    to date: Date, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async {
    let passes = core.allPasses
    await move(
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      first: { time in
        time.setWallClock(to: date)
        for pass in passes { _ = time.set(pass, for: pass.scheduler) }
      }
    ) {
      $0.monotonic
    }
  }

  /// Changes the time by `change` once the clock's tasks are at rest, and goes from deadline to deadline
  /// until `target`.
  ///
  /// Returns whether nothing is left to wait for.
  @discardableResult
  private func move(
    at location: TestLocation, stoppingWhenIdle: Bool = false,
    first change: @escaping @Sendable (inout VirtualTime) -> Void = { _ in },
    until target: @escaping @Sendable (ClockReading) -> Deadline
  ) async -> Bool {
    let move = ClockMove(of: core, stoppingWhenIdle: stoppingWhenIdle, change: change, until: target)
    await core.world.make(move)
    core.reportFailures(at: location)
    return core.state.withLock { $0.time.isIdle }
  }
}
