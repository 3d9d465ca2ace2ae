import Synchronization

/// An operation that runs with a time limit.
///
/// The calling task waits for the limit, and then for the child task that runs the operation. If the limit wasn't
/// reached, the second wait is reported to a test's clock, as the operation may take long if the calling task was
/// cancelled. If the limit was reached, it isn't, so that virtual time stands still until the cancelled operation has
/// ended.
final class LimitedOperation<R>: Sendable {
  private let limit: Duration
  private let monitor: (any ConsumerMonitor)?
  /// The wait for the limit. The end of the operation ends it. Nil if the limit is reached from the beginning.
  private let wait: TimedWait?
  private let progress = Atomic<UInt8>(0)
  /// The operation's result or error. It is set by the child task, and read once that has ended.
  nonisolated(unsafe) private var outcome: Result<R, any Error>?

  init(on context: TimerContext, limit: Duration) {
    self.limit = limit
    monitor = context.monitor
    wait =
      limit <= .zero
      ? nil : TimedWait(for: .limit, until: context.clock.readMonotonic() + Interval(limit), in: context)
  }

  /// Runs the operation, and returns once it has ended. Throws a ``TimeoutError`` if the limit was reached first.
  func run(_ operation: nonisolated(nonsending) () async throws -> R) async throws -> R {
    let isInTime = await race(operation, isolation: #isolation)
    guard isInTime, let outcome = unsafe outcome else { throw TimeoutError(limit: limit) }
    return try outcome.get()
  }

  /// Runs the operation, and returns once it has ended. Returns false if the limit was reached first.
  private func race(
    _ operation: nonisolated(nonsending) () async throws -> R, isolation: isolated (any Actor)?
  ) async -> Bool {
    let number = monitor?.taskEntered()
    // The caller is suspended while the child task uses the operation.
    nonisolated(unsafe) let operation = operation
    async let end: Void = unsafe run(operation, as: number, isolation: isolation)
    let isInTime = await waitForEnd()
    if isInTime {
      noteWait()
      await end
    }
    // Otherwise the child task is cancelled on return, and waited for.
    return isInTime
  }

  private func run(
    _ operation: nonisolated(nonsending) () async throws -> R, as number: UInt64?,
    isolation: isolated (any Actor)?
  ) async {
    if let number { monitor?.taskBegan(number) }
    do {
      unsafe outcome = .success(try await operation())
    } catch {
      unsafe outcome = .failure(error)
    }
    let isAwaited =
      progress.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue & Self.awaited != 0
    wait?.end()
    if isAwaited { monitor?.waitEnded(waitID) }
    if let number { monitor?.taskEnded(number) }
  }

  /// Waits until the operation has ended, the limit is reached or the task is cancelled. Returns false if the limit was
  /// reached before the operation ended.
  private func waitForEnd() async -> Bool {
    if let wait, await !wait.wait() { return true }
    // Under virtual time, the operation may be about to end at this moment.
    if !hasEnded { await monitor?.waitForEndOfMoment() }
    return hasEnded
  }

  // MARK: Progress

  private static var ended: UInt8 { 1 }
  private static var awaited: UInt8 { 2 }

  private var hasEnded: Bool { progress.load(ordering: .acquiring) & Self.ended != 0 }

  private var waitID: WaitID { WaitID(bits: UInt(bitPattern: ObjectIdentifier(self))) }

  /// Notes that the calling task is about to wait for the child task. The wait ends when both have come to this
  /// point.
  private func noteWait() {
    guard let monitor else { return }
    monitor.waitBegins(waitID, as: nil)
    let hasEnded =
      progress.bitwiseOr(Self.awaited, ordering: .acquiringAndReleasing).oldValue & Self.ended != 0
    if hasEnded { monitor.waitEnded(waitID) } else { monitor.waitBegan(waitID) }
  }
}
