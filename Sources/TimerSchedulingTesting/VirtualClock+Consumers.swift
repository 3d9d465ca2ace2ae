extension VirtualClock {
  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until the operation has ended, the clock moves on only while the operation, or a task that it waits for, waits for
  /// the clock: for a tick, or in a sleep. ``VirtualClock`` says what it can know of other tasks.
  /// The clock can't know when a plain task has ended, nor whether it has something to do after a loop.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameters:
  ///   - name: What to call the task if the clock has to give it up.
  ///   - fileID: The file to name with it, which is the caller's.
  ///   - line: The line to name with it, which is the caller's.
  ///   - operation: What to run, on its own isolation: that of the main actor for a closure marked so.
  /// - Returns: The task, which runs at once. An error it throws is its value's.
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

  /// Runs an operation that doesn't throw in a task that the clock waits for.
  ///
  /// - Parameters:
  ///   - name: What to call the task if the clock has to give it up.
  ///   - fileID: The file to name with it, which is the caller's.
  ///   - line: The line to name with it, which is the caller's.
  ///   - operation: What to run, on its own isolation.
  /// - Returns: The task, which runs at once.
  @discardableResult
  public func addTask<Success: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @isolated(any) @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let task = AddedTask(on: core, name: name, fileID: fileID, line: line)
    return Task(executorPreference: task) {
      task.begin()
      defer { task.end() }
      return await operation()
    }
  }
}
