/// A task that waits until it is resumed.
///
/// It is safe to pass around, because only the code that removes it from its ``WaitList`` resumes it, once. A checked
/// continuation would cost an allocation for each wait, to find a mistake in these few places.
///
/// Every task that waits for a timer, or for anything else in this package, waits here. So a virtual clock learns of
/// each wait here.
@safe
package struct WaitingTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the calling task until it is resumed, as ``suspend(_:)`` does, and tells the world of a virtual clock.
  @inline(__always)
  package static func suspend(
    for event: @autoclosure () -> AwaitedEvent, in world: (any ClockWorld)?, _ isToWait: (WaitingTask) -> Bool
  ) async {
    if let world { return await suspend(for: event(), noting: world, isToWait) }
    await suspend(isToWait)
  }

  /// Suspends the calling task until it is resumed, unless `isToWait` returns false.
  ///
  /// If `isToWait` returns true, it has stored the task it was given.
  @inline(__always)
  package static func suspend(_ isToWait: (WaitingTask) -> Bool) async {
    await unsafe withUnsafeContinuation { continuation in
      let task = unsafe WaitingTask(continuation: continuation)
      if !isToWait(task) { task.resume() }
    }
  }

  /// Suspends a task of a virtual clock's world.
  ///
  /// The task leaves its actor for the wait, as it is then resumed on the global executor, where its clock sees it. An
  /// actor's executor may be one that the clock doesn't know.
  @inline(never)
  private static func suspend(
    for event: AwaitedEvent, noting world: any ClockWorld, _ isToWait: (WaitingTask) -> Bool
  ) async {
    // The caller is suspended meanwhile.
    nonisolated(unsafe) let isToWait = isToWait
    await suspendElsewhere(for: event, noting: world) { unsafe isToWait($0) }
  }

  @concurrent
  private static func suspendElsewhere(
    for event: AwaitedEvent, noting world: any ClockWorld, _ isToWait: @Sendable (WaitingTask) -> Bool
  ) async {
    world.waitBegins(for: event)
    await suspend(isToWait)
    world.waitEnded()
  }

  /// Suspends the calling task until it is resumed or cancelled, unless `isToWait` returns false.
  ///
  /// If `isToWait` returns true, it has stored the task in the wait it was given; `giveUp` removes it from there.
  /// Both take the same lock: a task that is cancelled before it is stored sees its cancellation under that lock.
  static func suspendUntilCancelled(
    for event: @autoclosure () -> AwaitedEvent, in world: (any ClockWorld)?,
    _ isToWait: (WaitingTask, CancellableWait) -> Bool,
    giveUp: @Sendable (CancellableWait) -> WaitingTask?
  ) async {
    let wait = CancellableWait()
    await withTaskCancellationHandler {
      await suspend(for: event(), in: world) { isToWait($0, wait) }
    } onCancel: {
      giveUp(wait)?.resume()
    }
  }

  private init(continuation: UnsafeContinuation<Void, Never>) { unsafe self.continuation = continuation }

  package func resume() {
    // Hidden from the thread sanitizer, which reports a race if a task is resumed just as it begins to wait:
    // https://github.com/swiftlang/swift/issues/57803. In optimized code there is nothing to report.
    #if DEBUG
    unsafe CheckedContinuation(continuation: continuation).resume()
    #else
    unsafe continuation.resume()
    #endif
  }
}

/// A wait in a ``WaitList`` that its task may give up early.
final class CancellableWait: Sendable {
  /// The task while it waits, guarded by the lock of the list.
  @safe nonisolated(unsafe) private(set) var task: WaitingTask?

  func begin(_ task: WaitingTask) { self.task = task }

  /// Ends the wait and returns its task, or nil if the wait is over.
  func end() -> WaitingTask? { task.take() }
}
