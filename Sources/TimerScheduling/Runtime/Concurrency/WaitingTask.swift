import Synchronization

/// A task that waits until it is resumed. Every wait of this module is one, so a virtual clock learns of each here.
///
/// Only the code that removes it from its list resumes it, once. A checked continuation would allocate for each wait, to
/// find a mistake in these few places.
@safe
package struct WaitingTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Tells the world of a virtual clock, too.
  @inline(__always)
  package static func suspend(
    for event: @autoclosure () -> AwaitedEvent, in world: (any ClockWorld)?, _ isToWait: (WaitingTask) -> Bool
  ) async {
    guard let world else { return await suspend(isToWait) }
    // The caller is suspended meanwhile.
    nonisolated(unsafe) let isToWait = isToWait
    await suspend(for: event(), noting: world) { unsafe isToWait($0) }
  }

  /// Suspends the calling task until it is resumed. `isToWait` stores the task that it is given, or returns false.
  @inline(__always)
  package static func suspend(_ isToWait: (WaitingTask) -> Bool) async {
    await unsafe withUnsafeContinuation { continuation in
      let task = unsafe WaitingTask(continuation: continuation)
      if !isToWait(task) { task.resume() }
    }
  }

  /// Suspends a task of a virtual clock's world. It leaves its actor for the wait, as it is then resumed on the global
  /// executor, where its clock sees it. An actor's executor may be one that the clock doesn't know.
  @concurrent @inline(never)
  private static func suspend(
    for event: AwaitedEvent, noting world: any ClockWorld, _ isToWait: @Sendable (WaitingTask) -> Bool
  ) async {
    world.waitBegins(for: event)
    await suspend(isToWait)
    world.waitEnded()
  }

  private static let lastWait = Atomic<UInt64>(0)

  /// Suspends the calling task until it is resumed or cancelled. `isToWait` stores it under the number that it is given,
  /// or returns false, and `giveUp` removes it. Both take the same lock, under which `isToWait` returns false if the task
  /// was cancelled before.
  static func suspendUntilCancelled(
    for event: @autoclosure () -> AwaitedEvent, in world: (any ClockWorld)?,
    _ isToWait: (WaitingTask, UInt64) -> Bool, giveUp: @Sendable (UInt64) -> WaitingTask?
  ) async {
    let number = lastWait.add(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await suspend(for: event(), in: world) { isToWait($0, number) }
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

/// The tasks that a virtual clock moves by: it stands still while one of them has something to do. Where time passes by
/// itself there is none. All methods are about the current task. None is called under a lock.
package protocol ClockWorld: AnyObject, Sendable {
  /// Notes that the task is about to wait for the clock.
  func waitBegins(for event: AwaitedEvent)

  func waitEnded()

  /// Notes that the task begins a run of a timer's action. The tasks that the action makes have the run as
  /// ``ActionRun/current``.
  func runBegins(_ run: ActionRun, of scheduler: UInt64)

  func runEnded()

  /// Waits until all else that is due at the present moment is done. Of several tasks that wait, the one with the
  /// highest number goes on first.
  func waitForEndOfMoment(as number: UInt64) async

  /// Notes that the task is about to wait for the runs of a scheduler that has shut down. If that takes too long,
  /// `giveUp` is called, which ends the wait. Returns a number for the wait.
  func shutdownWaitBegins(of scheduler: UInt64, giveUp: @escaping @Sendable () -> Void) -> UInt64

  func shutdownWaitEnded(_ number: UInt64)
}

package enum AwaitedEvent: Sendable {
  /// The end of a sleep, at a time of the monotonic clock.
  case sleep(until: Deadline)
  case limit(until: Deadline)
  case tick(timer: UInt64, name: String?)
  case end(timer: UInt64, name: String?)
  /// The end of other tasks' work.
  case work
}
