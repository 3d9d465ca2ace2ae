extension VirtualClock {
  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until the operation has ended, the clock moves on only while it, or a task that it has made, waits for the clock.
  /// The added tasks of a clock count together, as one may wait for another.
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
    let participant = Self.participant(name, fileID, line)
    let world = core.clockWorld
    return WorldThread.with(world) {
      Task {
        world.participantBegins(participant, in: world.added)
        defer { world.participantEnded() }
        return try await Group.$current.withValue(world.added) { try await operation() }
      }
    }
  }

  /// Runs an operation that doesn't throw in a task that the clock waits for.
  ///
  /// Works like ``addTask(name:fileID:line:_:)->Task<Success,Error>``.
  @discardableResult
  public func addTask<Success: Sendable>(
    name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @isolated(any) @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let participant = Self.participant(name, fileID, line)
    let world = core.clockWorld
    return WorldThread.with(world) {
      Task {
        world.participantBegins(participant, in: world.added)
        defer { world.participantEnded() }
        return await Group.$current.withValue(world.added) { await operation() }
      }
    }
  }

  private static func participant(_ name: String?, _ fileID: StaticString, _ line: UInt) -> Group.Participant
  {
    let place = "added in \(fileID):\(line)"
    return Group.Participant(name: "The task \(name.map { "\"\($0)\", \(place)," } ?? place)", scheduler: 0)
  }
}
