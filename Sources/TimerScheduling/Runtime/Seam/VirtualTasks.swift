/// What a virtual clock has to know of its schedulers' tasks, as it moves while none has anything to do, and
/// what it does for them. Where time passes by itself there is none.
///
/// All methods are about the current task. None is called under a lock.
package protocol VirtualTasks: AnyObject, Sendable {
  /// Notes that the task is about to be suspended until something that the clock brings.
  func waitBegins(for event: AwaitedEvent)

  func waitEnded()

  /// Notes that the task begins a run of a timer's action.
  func runBegins(_ run: ActionRun)

  func runEnded()

  /// Waits until all else that is due at the present moment is done. Of several tasks that wait, the one with
  /// the highest number goes on first.
  func waitForEndOfMoment(as number: UInt64) async

  /// Calls `work` as the code of the test that has made the clock. Tasks that it makes inherit the test's
  /// task-local values.
  func perform(_ work: () -> Void)
}

extension VirtualTasks {
  func make<R: Sendable>(_ task: () -> Task<R, Never>) -> Task<R, Never> {
    var made: Task<R, Never>?
    perform { made = task() }
    guard let made else {
      preconditionFailure("A virtual clock hasn't performed the work that it was given.")
    }
    return made
  }
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
