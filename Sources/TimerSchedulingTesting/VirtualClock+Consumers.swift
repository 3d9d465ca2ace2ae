extension VirtualClock {
  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until the operation has ended, the clock moves on only while the operation, or a task it waits for, is
  /// itself waiting for the clock: for a tick or in a sleep. The clock can't know when a plain task ends, nor
  /// whether it does more after a loop.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameters:
  ///   - name: The task's name in the message when the clock stops waiting for it.
  ///   - fileID: The file in that message, by default the caller's.
  ///   - line: The line in that message, by default the caller's.
  ///   - operation: The operation to run, on its own isolation: the main actor for a closure marked `@MainActor`.
  /// - Returns: The task, which starts at once. Its value throws the operation's error.
  @discardableResult
  public func addTask<Success: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let task = AddedTask(on: core, name: name, fileID: fileID, line: line)
    return Task(executorPreference: task) {
      task.begin()
      defer { task.end() }
      return try await operation()
    }
  }
}
