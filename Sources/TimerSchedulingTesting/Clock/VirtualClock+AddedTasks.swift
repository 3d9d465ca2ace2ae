extension VirtualClock {
  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Time stands still until the operation has ended, or waits for the clock, for a stream, or for a task or
  /// a group that does. A wait for another continuation holds time for 50 milliseconds of real time. If the
  /// operation is under way for the settling timeout, the test fails at the call that moves the clock, and
  /// the clock goes on without it. On other platforms than Linux, it is under way until it waits for the
  /// clock.
  ///
  /// Use this for a task whose work the clock doesn't see, such as a request to a server, and for a loop that
  /// waits for another task of the clock. For a task that waits for input from the test, use a plain `Task`.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameters:
  ///   - name: The task's name in messages.
  ///   - fileID: The file in messages, by default the caller's.
  ///   - line: The line in messages, by default the caller's.
  ///   - operation: The operation to run, on its own isolation: the main actor for a closure marked
  ///     `@MainActor`.
  /// - Returns: The task, which starts at once. Its value throws the operation's error.
  @discardableResult
  public func addTask<Success: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let participant = Self.participant(name, fileID, line)
    let world = core.world
    return WorldThread.making(for: World.Maker(world: world, member: nil)) {
      Task { try await world.perform(participant) { try await operation() } }
    }
  }

  /// Runs an operation that doesn't throw in a task that the clock waits for.
  ///
  /// Works like ``addTask(name:fileID:line:_:)->Task<Success,Error>``.
  ///
  /// - Parameters:
  ///   - name: The task's name in messages.
  ///   - fileID: The file in messages, by default the caller's.
  ///   - line: The line in messages, by default the caller's.
  ///   - operation: The operation to run, on its own isolation: the main actor for a closure marked
  ///     `@MainActor`.
  /// - Returns: The task, which starts at once. Awaiting its value doesn't throw.
  @discardableResult
  public func addTask<Success: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @isolated(any) @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let participant = Self.participant(name, fileID, line)
    let world = core.world
    return WorldThread.making(for: World.Maker(world: world, member: nil)) {
      Task { await world.perform(participant) { await operation() } }
    }
  }

  private static func participant(_ name: String?, _ fileID: StaticString, _ line: UInt) -> Member.Participant
  {
    let place = "added in \(fileID):\(line)"
    return Member.Participant(name: "The task \(name.map { "\"\($0)\", \(place)," } ?? place)")
  }
}

extension VirtualClock {
  /// Runs an operation while time doesn't move: for a wait for something that the clock doesn't see.
  ///
  /// ```swift
  /// let page = try await clock.holdTime { try await fetch() }
  /// ```
  ///
  /// Meanwhile neither a body nor a move of a clock goes on in time. A ``VirtualTimeError`` after the timeout
  /// of the body still ends it.
  ///
  /// - Parameter body: The operation, which runs on the caller's isolation.
  /// - Returns: Its result.
  /// - Throws: Its error.
  public func holdTime<R, E: Error>(
    _ body: nonisolated(nonsending) () async throws(E) -> R
  ) async throws(E) -> R {
    core.world.hold()
    defer { core.world.release() }
    return try await body()
  }
}
