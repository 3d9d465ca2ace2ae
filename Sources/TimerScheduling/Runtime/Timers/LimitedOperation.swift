import Synchronization

/// An operation with a time limit. The calling task waits for the limit; a child task runs the operation.
final class LimitedOperation<R>: Sendable {
  private let limit: Duration
  private let virtual: (any VirtualTasks)?
  /// The wait for the limit, which the operation's end ends. Nil if there is no time at all.
  private let wait: TimedWait?
  private let hasEnded = Atomic<Bool>(false)
  /// The operation's result or error. The child task sets it, and it is read once that has ended.
  nonisolated(unsafe) private var outcome: Result<R, any Error>?

  init(on driver: TimerDriver, limit: Duration) {
    self.limit = limit
    virtual = driver.virtual
    wait =
      limit <= .zero
      ? nil : TimedWait(for: .limit, until: driver.clock.readMonotonic() + Interval(limit), in: driver)
  }

  /// Returns once the operation has ended. Throws a ``TimeoutError`` if the limit was reached first.
  func run(_ operation: nonisolated(nonsending) () async throws -> R) async throws -> R {
    let isolation = #isolation
    // The caller is suspended while the child task uses the operation.
    nonisolated(unsafe) let operation = operation
    async let end: Void = unsafe perform(operation, isolation: isolation)
    let isInTime = await waitForEnd()
    if isInTime { await end }
    // Otherwise the child task is cancelled on return, and waited for.
    guard isInTime, let outcome = unsafe outcome else { throw TimeoutError(limit: limit) }
    return try outcome.get()
  }

  private func perform(
    _ operation: nonisolated(nonsending) () async throws -> R, isolation: isolated (any Actor)?
  ) async {
    do {
      unsafe outcome = .success(try await operation())
    } catch {
      unsafe outcome = .failure(error)
    }
    hasEnded.store(true, ordering: .releasing)
    wait?.end()
  }

  /// Waits until the operation has ended, the limit is reached or the task is cancelled. Returns false if the
  /// limit was reached before the operation ended.
  private func waitForEnd() async -> Bool {
    if let wait, await !wait.wait() { return true }
    // Under virtual time, the operation may be about to end at this moment.
    if !hasEnded.load(ordering: .acquiring) { await virtual?.waitForEndOfMoment(as: wait?.number ?? 0) }
    return hasEnded.load(ordering: .acquiring)
  }
}
