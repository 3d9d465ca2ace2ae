import TimerScheduling

extension VirtualClock {
  /// Waits until `count` streams and listeners are waiting for a tick, or the calling task is cancelled.
  ///
  /// A move of the clock lets all tasks of the test begin first, so a test rarely needs this. It is for a
  /// consumer in a task that something outside the test has made.
  ///
  /// - Parameters:
  ///   - count: The number of streams and listeners. Sleeps and time limits count, too. Actions don't, as
  ///     they don't wait.
  ///   - limit: The longest time to wait, in real time. When it is over, the test fails and this returns.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: Neither is negative.
  public func waitForConsumers(
    _ count: Int = 1, limit: Duration = .seconds(60), fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    await expect(
      .consumers(count), count, limit: limit,
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Waits until `count` tasks sleep on this clock or on a scheduler of this clock, or the calling task is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - count: The number of sleeps. Loops, time limits and waits for the end of a timer don't count.
  ///   - limit: The longest time to wait, in real time. When it is over, the test fails and this returns.
  ///   - fileID: The file of the call, for the place of a failure.
  ///   - filePath: The file's path.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Precondition: Neither is negative.
  public func waitForSleepers(
    _ count: Int = 1, limit: Duration = .seconds(60), fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
  ) async {
    await expect(
      .sleepers(count), count, limit: limit,
      at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  @concurrent
  private func expect(
    _ subject: World.Watch.Expectation.Subject, _ count: Int, limit: Duration, at location: TestLocation
  ) async {
    precondition(count >= 0, "A count must be zero or more, but \(count) was given.")
    precondition(limit >= .zero, "A limit must be zero or more, but \(limit) was given.")
    await core.world.expect(subject, on: core, limit: limit)
    core.reportFailures(at: location)
  }
}
