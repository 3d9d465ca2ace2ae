import Synchronization

/// One call of a timer's action, for one tick. The tasks that it creates hold it and may outlive the driver,
/// so it holds no driver.
final class Run: WaitingRun {
  @TaskLocal static var current: Run?

  let value: ActionRun
  fileprivate let context: (any AnyObject & Sendable)?
  let tracker: ObjectIdentifier
  let hasEnded = Atomic<Bool>(false)
  /// Whether a task of the run has waited for runs or timers.
  let hasWaited = Atomic<Bool>(false)
  /// Whether the action is under way that the interceptor has called.
  private let isCalled = Atomic<Bool>(false)
  fileprivate let hasFailedBefore = Atomic<Bool>(false)

  init(_ value: ActionRun, context: (any AnyObject & Sendable)? = nil, tracker: RunTracker) {
    self.value = value
    self.context = context
    self.tracker = ObjectIdentifier(tracker)
  }

  var isUnderWay: Bool { !hasEnded.load(ordering: .sequentiallyConsistent) }

  var key: RunKey { RunKey(timer: value.timer.number, number: value.number) }

  func beginCall() {
    precondition(
      !isCalled.exchange(true, ordering: .sequentiallyConsistent),
      "An interceptor may not call the run that it is given while that run is under way.")
  }

  func endCall() { isCalled.store(false, ordering: .sequentiallyConsistent) }

  /// Whether the run continues the work of an earlier timer, which has failed before. Its error isn't
  /// printed.
  var failsAgain: Bool { hasFailedBefore.load(ordering: .relaxed) }
}

/// An object by which an action is known, and which says how errors of its runs are reported.
package protocol ReportedRun: AnyObject, Sendable {
  func reported(_ error: any Error) -> any Error
}

extension Run {
  /// Returns an error of the run as the observer gets it.
  func reported(_ error: any Error) -> any Error { (context as? any ReportedRun)?.reported(error) ?? error }
}

extension ActionRun {
  /// The object by which the current run's action is known. Nil if there is none.
  package static var currentContext: (any AnyObject & Sendable)? { Run.current?.context }

  /// Notes that the current run continues the work of an earlier timer, which has failed before. Its error is
  /// reported, but not printed.
  package static func currentFailsAgain() { Run.current?.hasFailedBefore.store(true, ordering: .relaxed) }
}
