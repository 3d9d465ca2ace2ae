/// A task that waits until it is resumed.
///
/// It is safe to pass around, because only the code that removes it from its ``WaitList`` resumes it, once. A checked
/// continuation would cost an allocation for each wait, to find a mistake in these few places.
///
/// Every task that waits for a timer, or for anything else in this package, waits here. So the test kit's monitor is
/// notified here.
@safe
package struct WaitingTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the calling task until it is resumed, unless `isToWait` returns false.
  ///
  /// If `isToWait` returns true, it has stored the task it was given.
  @inline(__always)
  package static func suspend(
    as consumer: TickConsumer? = nil, noting monitor: (any ConsumerMonitor)?,
    _ isToWait: (WaitingTask) -> Bool
  ) async {
    await unsafe withUnsafeContinuation { continuation in
      let task = unsafe WaitingTask(continuation: continuation)
      monitor?.waitBegins(task.id, as: consumer)
      if isToWait(task) { monitor?.waitBegan(task.id) } else { task.resume(noting: monitor) }
    }
  }

  /// Suspends the calling task until it is resumed or cancelled, unless `isToWait` returns false.
  ///
  /// If `isToWait` returns true, it has stored the task in the wait it was given; `giveUp` removes it from there.
  /// Both take the same lock: a task that is cancelled before it is stored sees its cancellation under that lock.
  static func suspendUntilCancelled(
    noting monitor: (any ConsumerMonitor)?, _ isToWait: (WaitingTask, CancellableWait) -> Bool,
    giveUp: @Sendable (CancellableWait) -> WaitingTask?
  ) async {
    let wait = CancellableWait()
    await withTaskCancellationHandler {
      await suspend(noting: monitor) { isToWait($0, wait) }
    } onCancel: {
      giveUp(wait)?.resume(noting: monitor)
    }
  }

  private init(continuation: UnsafeContinuation<Void, Never>) { unsafe self.continuation = continuation }

  /// The wait's identifier. A continuation is one word, the task's own.
  package var id: WaitID { WaitID(bits: unsafe unsafeBitCast(continuation, to: UInt.self)) }

  package func resume(noting monitor: (any ConsumerMonitor)?) {
    // Notified before the task runs, as it may begin another wait at once.
    monitor?.waitEnded(id)
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
