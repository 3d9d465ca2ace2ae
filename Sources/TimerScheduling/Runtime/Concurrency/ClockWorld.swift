/// The tasks that a virtual clock moves by: it stands still while one of them has something to do.
///
/// Where time passes by itself there is no such world. All methods are about the current task. None is called under a
/// lock.
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
