import TimerScheduling
public import TimerSchedulingFoundation

/// Runs a test on a virtual clock that moves by itself.
///
/// While the body, every run of an action and every added task wait for the clock, time moves on to the next deadline.
/// So the body is written as if it ran in real time, and takes none:
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
/// In the body, and in all tasks that it makes, `Task.sleep` and the sleeps of `ContinuousClock` and `SuspendingClock`
/// are virtual where Swift's runtime allows it, as on Linux. What these clocks show as now is real. The body may also
/// move the clock itself.
///
/// When the body has ended, time stands still. Cancelling the calling task cancels the body.
///
/// - Parameters:
///   - date: The date that the wall clock shows at first.
///   - limit: The longest virtual time that the body may take.
///   - timeout: The longest real time for which the body may be unable to go on.
///   - fileID: The file of the call, for the place of a failure.
///   - filePath: The file's path.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The test, which runs on its own isolation: on the main actor for a closure marked `@MainActor`.
/// - Returns: The body's result.
/// - Throws: The body's error, or a ``VirtualTimeError`` that names the tasks that wait, if one of the limits is reached.
///   The body is then cancelled, and this doesn't wait for it.
/// - Precondition: `date` is a number, and neither `limit` nor `timeout` is negative.
@discardableResult
public func withVirtualClock<R: Sendable>(
  date: Date = Date(timeIntervalSinceReferenceDate: 0), limit: Duration = .seconds(31 * 86_400),
  timeout: Duration = .seconds(60), fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column, _ body: @escaping @isolated(any) @Sendable (VirtualClock) async throws -> R
) async throws -> R {
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await VirtualRun<R>(limit: limit, timeout: timeout, at: location).run(date: date, body).result
    .get()
}

/// A run of a body on a clock of its own.
final class VirtualRun<R: Sendable>: Sendable {
  private let limit: Duration
  private let timeout: Duration
  private let location: TestLocation
  private struct State {
    var result: Result<R, any Error>?
    /// The order of jobs up to the result. What the body's tasks do after it doesn't count.
    var order: JobOrder?
    /// The task that waits for the result.
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// Guards the result. The lock of the world may be taken while it is held.
  private let state = WorldLock(State())

  init(limit: Duration, timeout: Duration, at location: TestLocation) {
    precondition(limit >= .zero, "A limit of virtual time must be zero or more, but \(limit) was given.")
    precondition(timeout >= .zero, "A timeout must be zero or more, but \(timeout) was given.")
    self.limit = limit
    self.timeout = timeout
    self.location = location
  }

  /// Runs the body. Returns its result, and the order of jobs up to it.
  @concurrent
  func run(
    date: Date, order: JobOrder? = nil,
    _ body: @escaping @isolated(any) @Sendable (VirtualClock) async throws -> R
  ) async -> (result: Result<R, any Error>, order: JobOrder?) {
    let report: @Sendable (String) -> Void = { StandardError.print($0) }
    let world = World(
      settlingTimeout: min(timeout, .seconds(1)), sleepsAreVirtual: true, order: order, report: report)
    let clock = VirtualClock(
      in: world, date: date, settlingTimeout: timeout, report: report, fail: nil, madeAt: location)
    let end: @Sendable (Result<R, any Error>) -> Void = { self.end(with: $0, in: world) }
    world.state.withLock {
      $0.body = VirtualBody(on: clock.core, limit: limit, timeout: timeout) { end(.failure($0)) }
    }
    let participant = Group.Participant(
      name: "The body in \(location.fileID):\(location.line)", scheduler: 0)
    let task = WorldThread.with(world) {
      Task {
        do {
          end(.success(try await world.perform(participant) { try await body(clock) }))
        } catch {
          end(.failure(error))
        }
      }
    }
    let outer = World.here?.world
    outer?.waitBegins(for: .work, of: nil)
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
    outer?.waitEnded()
    task.cancel()
    clock.core.reportFailures(at: location)
    guard case (let result?, let order) = state.withLock({ ($0.result, $0.order) }) else {
      preconditionFailure("A body has no result.")
    }
    return (result, order)
  }

  /// Ends the run, unless it has ended. Time stands still from now on.
  private func end(with result: Result<R, any Error>, in world: World) {
    let (waiting, body) = state.withLock { state -> (CheckedContinuation<Void, Never>?, VirtualBody?) in
      if state.result != nil { return (nil, nil) }
      state.result = result
      let (body, order) = world.state.withLock { ($0.body.take(), $0.order) }
      state.order = order
      return (state.waiting.take(), body)
    }
    withExtendedLifetime(body) {}
    waiting?.resume()
  }
}
