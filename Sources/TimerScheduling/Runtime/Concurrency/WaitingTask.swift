import Synchronization

/// A task that waits until it is resumed. Every wait of this module is one, so a virtual clock learns of each
/// here.
///
/// Only the code that removes it from its list resumes it, once. A checked continuation would allocate for
/// each wait, to find a mistake in these few places.
@safe
package struct WaitingTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Tells a virtual clock, too.
  @inline(__always)
  package static func suspend(
    for event: @autoclosure () -> AwaitedEvent, in virtual: (any VirtualTasks)?,
    _ isToWait: (WaitingTask) -> Bool
  ) async {
    guard let virtual else { return await suspend(isToWait) }
    // The caller is suspended meanwhile.
    nonisolated(unsafe) let isToWait = isToWait
    await suspend(for: event(), noting: virtual) { unsafe isToWait($0) }
  }

  /// Suspends the calling task until it is resumed. `isToWait` stores the task that it is given, or returns
  /// false.
  @inline(__always)
  package static func suspend(_ isToWait: (WaitingTask) -> Bool) async {
    await unsafe withUnsafeContinuation { continuation in
      let task = unsafe WaitingTask(continuation: continuation)
      if !isToWait(task) { task.resume() }
    }
  }

  /// Suspends a task of a virtual clock's world. It leaves its actor for the wait, as it is then resumed on
  /// the global executor, where its clock sees it. An actor's executor may be one that the clock doesn't
  /// know.
  @concurrent @inline(never)
  private static func suspend(
    for event: AwaitedEvent, noting virtual: any VirtualTasks, _ isToWait: @Sendable (WaitingTask) -> Bool
  ) async {
    await suspend { task in
      // Where the task is about to be suspended: its next job ends the wait.
      virtual.waitBegins(for: event)
      return isToWait(task)
    }
    virtual.waitEnded()
  }

  private static let lastWait = Atomic<UInt64>(0)

  /// Suspends the calling task until it is resumed or cancelled. `isToWait` stores it under the number that
  /// it is given, or returns false, and `giveUp` removes it. Both take the same lock, under which `isToWait`
  /// returns false if the task was cancelled before.
  static func suspendUntilCancelled(
    for event: @autoclosure () -> AwaitedEvent, in virtual: (any VirtualTasks)?,
    _ isToWait: (WaitingTask, UInt64) -> Bool, giveUp: @Sendable (UInt64) -> WaitingTask?
  ) async {
    let number = lastWait.add(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await suspend(for: event(), in: virtual) { isToWait($0, number) }
    } onCancel: {
      giveUp(number)?.resume()
    }
  }

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
