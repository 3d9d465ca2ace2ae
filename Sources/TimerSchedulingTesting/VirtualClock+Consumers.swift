extension VirtualClock {
  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until the operation has ended, the clock moves on only while it waits for the clock: for a tick, or in a sleep.
  /// Of a plain task nobody can know when it has ended, nor whether it has something to do after a loop.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameter operation: What to run, on its own isolation: that of the main actor for a closure marked so.
  /// - Returns: The task, which runs at once. An error it throws is its value's.
  @discardableResult
  public func addTask<Success: Sendable>(
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let number = core.taskEntered()
    // The task holds the core only, so that one that waits for ever doesn't keep the clock.
    return Task { [core] in
      core.taskBegan(number)
      defer { core.taskEnded(number) }
      return try await operation()
    }
  }

  /// Runs an operation that doesn't throw in a task that the clock waits for.
  ///
  /// - Parameter operation: What to run, on its own isolation.
  /// - Returns: The task, which runs at once.
  @discardableResult
  public func addTask<Success: Sendable>(
    _ operation: @escaping @isolated(any) @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let number = core.taskEntered()
    // The task holds the core only, so that one that waits for ever doesn't keep the clock.
    return Task { [core] in
      core.taskBegan(number)
      defer { core.taskEnded(number) }
      return await operation()
    }
  }
}
