import TimerScheduling
public import TimerSchedulingFoundation

/// Runs a test on a virtual clock that moves by itself.
///
/// While nothing else is to be done, time moves on to the next deadline. So the body is written as if it ran
/// in real time, and takes none:
///
/// ```swift
/// try await withVirtualClock { clock in
///   let timer = TimerScheduler(clock: clock).schedule(every: 60, limit: 3) { _ in }
///   await timer.waitUntilFinished()
///   try await Task.sleep(for: .seconds(20))
///   print(clock.now.offset)  // 200.0 seconds
/// }
/// ```
///
/// In the body, and in all tasks that it makes, Swift's clocks are virtual where its runtime allows it, as on
/// Linux. So are `Task.sleep`, the sleeps and `now` of `ContinuousClock` and `SuspendingClock`, and
/// Foundation's `Date()`. The clocks go on from their real time, and the date is `clock.date`. The body may
/// also move the clock itself.
///
/// Time moves when the body, every run of an action and every added task wait for the clock, for a stream, or
/// for a task or group that does. A wait for any other continuation, as for a callback of a socket, holds
/// time for 50 milliseconds of real time. Wait within ``VirtualClock/holdTime(_:)`` for what takes longer.
///
/// When the body has ended, its schedulers shut down. What else its tasks wait for by Swift's clocks goes on
/// in real time. Cancelling the calling task cancels the body.
///
/// - Parameters:
///   - date: The date that the wall clock shows at first.
///   - limit: The longest virtual time that the body may take.
///   - timeout: The longest real time for which the body may be unable to go on.
///   - onFailure: Fails the test with a message. By default an issue of Swift Testing is recorded on Linux,
///     at the place of the call. Without such a test, and elsewhere, a line is printed.
///   - fileID: The file of the call, for the place of a failure.
///   - filePath: The file's path.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The test, which runs on the isolation that it is written in.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``VirtualTimeError`` that names the tasks that wait, if one of the limits
///   is reached, a moment doesn't end, or tasks wait for each other. This doesn't wait for the body then. A
///   body that sleeps by one of Swift's clocks goes on in real time; any other is cancelled.
/// - Precondition: `date` is a number, and neither `limit` nor `timeout` is negative.
@discardableResult
public func withVirtualClock<R: Sendable>(
  date: Date = Date(timeIntervalSinceReferenceDate: 0), limit: Duration = .seconds(31 * 86_400),
  timeout: Duration = .seconds(60), onFailure: (@Sendable (String) -> Void)? = nil, fileID: String = #fileID,
  filePath: String = #filePath, line: Int = #line, column: Int = #column,
  @_inheritActorContext _ body: sending @escaping @isolated(any) (VirtualClock) async throws -> R
) async throws -> R {
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let run = VirtualRun<R>(limit: limit, timeout: timeout, onFailure: onFailure, at: location)
  nonisolated(unsafe) let body = body
  return try await run.run(date: date) { try await unsafe body($0) }.result.get()
}

/// A run of a body on a clock of its own.
final class VirtualRun<R: Sendable>: Sendable {
  private let limit: Duration
  private let timeout: Duration
  private let onFailure: (@Sendable (String) -> Void)?
  private let location: TestLocation
  private struct State {
    var result: Result<R, any Error>?
    /// The order of jobs up to the result. What the body's tasks do after it doesn't count.
    var order: JobOrder?
    /// Whether the body goes on in real time: an error has ended its run while it slept.
    var isAsleep = false
    /// The task that waits for the result.
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// Guards the result. The lock of the world may be taken while it is held.
  private let state = WorldLock(State())

  init(
    limit: Duration, timeout: Duration, onFailure: (@Sendable (String) -> Void)?, at location: TestLocation
  ) {
    precondition(limit >= .zero, "A limit of virtual time must be zero or more, but \(limit) was given.")
    precondition(timeout >= .zero, "A timeout must be zero or more, but \(timeout) was given.")
    self.limit = limit
    self.timeout = timeout
    self.onFailure = onFailure
    self.location = location
  }

  /// Runs the body. Returns its result, and the order of jobs up to it.
  @concurrent
  func run(
    date: Date, order: JobOrder? = nil, _ body: @escaping @Sendable (VirtualClock) async throws -> R
  ) async -> (result: Result<R, any Error>, order: JobOrder?) {
    let report: @Sendable (String) -> Void = { StandardError.print($0) }
    let world = World(
      settlingTimeout: min(timeout, .seconds(1)), isOfBody: true, order: order, report: report)
    let clock = VirtualClock(
      in: world, date: date, settlingTimeout: timeout, report: report, fail: onFailure, madeAt: location)
    let end: @Sendable (Result<R, any Error>) -> Void = { self.end(with: $0, in: world) }
    // Without the proxies, sleeps are real.
    if Executors.seeAllJobs { world.shownTime = clock.core.shown }
    world.state.withLock {
      $0.body = VirtualBody(on: clock.core, limit: limit, timeout: timeout) { end(.failure($0)) }
    }
    let participant = Member.Participant(
      name: "The body in \(location.fileID):\(location.line)", isBody: true)
    let task = WorldThread.making(for: World.Maker(world: world, member: nil)) {
      Task {
        do {
          end(.success(try await world.perform(participant) { try await body(clock) }))
        } catch {
          end(.failure(error))
        }
      }
    }
    // While the caller waits for another world, the time of its own doesn't move.
    let outer = World.held
    outer?.hold()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result != nil
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      task.cancel()
    }
    outer?.release()
    if !state.withLock(\.isAsleep) { task.cancel() }
    clock.core.reportFailures(at: location)
    guard case (let result?, let order) = state.withLock({ ($0.result, $0.order) }) else {
      preconditionFailure("A body has no result.")
    }
    return (result, order)
  }

  /// Ends the run and its world, unless it has ended.
  private func end(with result: Result<R, any Error>, in world: World) {
    let isFirst = state.withLock { state in
      if state.result != nil { return false }
      state.result = result
      (state.order, state.isAsleep) = world.state.withLock { world in
        (
          world.order.take(),
          world.participants.values.contains { $0.participant?.isBody == true && $0.sleep != nil }
        )
      }
      return true
    }
    guard isFirst else { return }
    world.end()
    state.withLock { $0.waiting.take() }?.resume()
  }
}
