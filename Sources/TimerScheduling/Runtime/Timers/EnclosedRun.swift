/// A run of an action for one tick, enclosed by an interceptor that may pass it to another task.
///
/// The timer's next run may begin once the interceptor has returned. So if the action is still running then, in a
/// task that outlives the interceptor, this waits for it. A run that would begin later stops the program.
final class EnclosedRun: Sendable {
  private enum State {
    /// The interceptor may call the run.
    case ready
    /// The action is running.
    case running
    /// The interceptor has returned, and this task waits for the action.
    case closing(WaitingTask)
    /// The run is over.
    case over
  }

  /// Guards the state.
  private let state = Lock(State.ready)
  private let body: nonisolated(nonsending) @Sendable () async throws -> Void

  init(_ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void) {
    self.body = body
  }

  /// Calls the interceptor on the caller's isolation. Returns when neither it nor the action is running.
  func run(_ tick: TimerTick, by interceptor: ActionInterceptor) async throws {
    do {
      try await interceptor(tick) { try await self.performBody() }
    } catch {
      await close()
      throw error
    }
    await close()
  }

  private func performBody() async throws {
    begin()
    defer { end() }
    try await body()
  }

  private func begin() {
    let isFree = state.withLock { state in
      switch state {
      case .ready:
        state = .running
        return true
      case .running, .closing, .over:
        return false
      }
    }
    precondition(
      isFree,
      """
      An interceptor may call the run that it is given only before it returns, and not while that run is under way.
      """)
  }

  private func end() {
    let waiting = state.withLock { state -> WaitingTask? in
      switch state {
      case .closing(let task):
        state = .over
        return task
      case .ready, .running, .over:
        state = .ready
        return nil
      }
    }
    waiting?.resume(noting: nil)
  }

  private func close() async {
    // Under virtual time the run's task stays busy during this wait, because its action is.
    await WaitingTask.suspend(noting: nil) { task in
      state.withLock { state in
        switch state {
        case .running:
          state = .closing(task)
          return true
        case .ready, .closing, .over:
          state = .over
          return false
        }
      }
    }
  }
}
