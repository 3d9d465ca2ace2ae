import Synchronization

/// An operation that runs against a timer.
///
/// The calling task waits for the timer, and then for the child task that runs the operation. If the limit wasn't reached,
/// the clock of a test is told of the second wait, as the operation may go on for long once the scheduler has shut down.
/// After the limit it isn't, so that virtual time stands still until the operation, which is cancelled, has ended.
final class LimitedOperation<R>: Sendable {
  private let limit: Duration
  private let monitor: (any ConsumerMonitor)?
  /// Listens to a timer of one tick, which the end of the operation ends.
  private let timer: TickListener
  private let progress = Atomic<UInt8>(0)
  /// Set by the child task, and read once it has ended.
  nonisolated(unsafe) private var outcome: Result<R, any Error>?

  init(on driver: TimerDriver, limit: Duration) {
    self.limit = limit
    monitor = driver.monitor
    timer = driver.makeTimer(
      on: .after(max(limit, .zero)), name: nil, lifetime: .stream, hold: TickListener.init)
  }

  /// Runs the operation, and returns once it has ended. Throws a ``TimeoutError`` if the limit was reached before.
  func run(_ operation: nonisolated(nonsending) () async throws -> R) async throws -> R {
    let isInTime = await race(operation, isolation: #isolation)
    guard isInTime, let outcome = unsafe outcome else { throw TimeoutError(limit: limit) }
    return try outcome.get()
  }

  /// Runs the operation, and returns once it has ended. Returns false if the limit was reached before.
  private func race(
    _ operation: nonisolated(nonsending) () async throws -> R, isolation: isolated (any Actor)?
  ) async -> Bool {
    let number = monitor?.taskEntered()
    // The caller is suspended while the child task uses it.
    nonisolated(unsafe) let operation = operation
    async let end: Void = unsafe run(operation, as: number, isolation: isolation)
    let isInTime = await waitForEnd()
    if isInTime {
      noteWait()
      await end
    }
    // Else the child task is cancelled on return, and waited for.
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
    timer.entry.finish(.cancelled)
    if isAwaited { monitor?.waitEnded(waitID) }
    if let number { monitor?.taskEnded(number) }
  }

  /// Waits until the operation has ended, the limit is reached, the scheduler has shut down or the task is cancelled.
  /// Returns false if the limit was reached while the operation hadn't ended.
  private func waitForEnd() async -> Bool {
    guard await timer.nextUnlessCancelled() != nil else { return true }
    // Under virtual time, the operation may be about to end at this moment.
    if !hasEnded { await monitor?.waitForEndOfMoment() }
    return hasEnded
  }

  // MARK: Progress

  private static var ended: UInt8 { 1 }
  private static var awaited: UInt8 { 2 }

  private var hasEnded: Bool { progress.load(ordering: .acquiring) & Self.ended != 0 }

  private var waitID: WaitID { WaitID(bits: UInt(bitPattern: ObjectIdentifier(self))) }

  /// The calling task is about to wait for the child task. The wait ends with whichever of the two comes second.
  private func noteWait() {
    guard let monitor else { return }
    monitor.waitBegins(waitID, as: nil)
    let hasEnded =
      progress.bitwiseOr(Self.awaited, ordering: .acquiringAndReleasing).oldValue & Self.ended != 0
    if hasEnded { monitor.waitEnded(waitID) } else { monitor.waitBegan(waitID) }
  }
}
