/// A task that waits until it is resumed.
///
/// Safe to pass around: the code that takes it out of its ``WaitList`` resumes it, once. A checked continuation would
/// cost an allocation for each wait to find a mistake in these few places.
///
/// Every task that waits for a timer, or for anything else in this package, waits here. So this is the place where the
/// test kit is told of it.
@safe
package struct WaitingTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the calling task until it is resumed, unless `isToWait` says that it needn't wait.
  ///
  /// `isToWait` keeps the task that it is given if it returns true.
  @inline(__always)
  static func suspend(
    as consumer: TickConsumer? = nil, noting monitor: (any ConsumerMonitor)?,
    _ isToWait: (WaitingTask) -> Bool
  ) async {
    await unsafe withUnsafeContinuation { continuation in
      let task = unsafe WaitingTask(continuation: continuation)
      monitor?.waitBegins(task.id, as: consumer)
      if isToWait(task) { monitor?.waitBegan(task.id) } else { task.resume(noting: monitor) }
    }
  }

  /// Suspends the calling task until it is resumed or cancelled, unless `isToWait` says that it needn't wait.
  ///
  /// `isToWait` keeps the task in the wait that it is given if it returns true, and `giveUp` takes it out of there. Both
  /// take one lock: a task that is cancelled before it is kept finds itself cancelled under it.
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

  private init(continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  /// A continuation is one word, the task's own.
  private var id: WaitID { WaitID(bits: unsafe unsafeBitCast(continuation, to: UInt.self)) }

  func resume(noting monitor: (any ConsumerMonitor)?) {
    // Before the task runs, as it may wait anew at once.
    monitor?.waitEnded(id)
    // Out of the sight of the thread sanitizer, which takes a resumption just as the task begins to wait for a race:
    // https://github.com/swiftlang/swift/issues/57803. Optimized, there is nothing to see.
    #if DEBUG
    unsafe CheckedContinuation(continuation: continuation).resume()
    #else
    unsafe continuation.resume()
    #endif
  }
}

/// A wait in a ``WaitList`` that its task may give up before it is over.
final class CancellableWait: Sendable {
  /// The task, while it waits. Guarded by the lock of the list.
  @safe nonisolated(unsafe) private(set) var task: WaitingTask?

  func begin(_ task: WaitingTask) { self.task = task }

  /// Returns the task, unless its wait is over.
  func end() -> WaitingTask? { task.take() }
}
