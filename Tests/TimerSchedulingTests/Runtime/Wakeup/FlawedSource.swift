import Dispatch
import TimerScheduling

/// Performs the state machine's decisions, except for one mistake.
final class FlawedSource: CancellableWakeupSource {
  enum Flaw: Codable, Sendable {
    case none, forgetsToResume, forgetsToActivate, resumesTwice, leavesItToRelease
  }

  private var machine = WakeupStateMachine()
  private let flaw: Flaw
  private let timer: any DispatchSourceTimer

  init(
    flaw: Flaw, on timeline: Timeline, queue: DispatchQueue, onWakeup: @escaping Handler,
    onCancel: @escaping Handler
  ) {
    self.flaw = flaw
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { @Sendable in onWakeup() }
    timer.setCancelHandler { @Sendable in onCancel() }
  }

  deinit {
    if flaw != .leavesItToRelease { cancel() }
  }

  func arm(at deadline: Deadline) {
    let action = machine.arm(at: deadline)
    if action != .none {
      timer.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline.nanoseconds)))
    }
    switch action {
    case .none, .setDeadline:
      break
    case .setDeadlineAndActivate:
      timer.activate()
    case .setDeadlineAndResume:
      timer.resume()
      if flaw == .resumesTwice { timer.resume() }
    }
  }

  func disarm() {
    switch machine.disarm() {
    case .none: break
    case .suspend: timer.suspend()
    }
  }

  func wakeupDelivered() {
    machine.wakeupDelivered()
  }

  func cancel() {
    switch machine.cancel() {
    case .none:
      break
    case .cancel:
      timer.cancel()
    case .activateAndCancel:
      if flaw != .forgetsToActivate { timer.activate() }
      timer.cancel()
    case .cancelAndResume:
      timer.cancel()
      if flaw != .forgetsToResume { timer.resume() }
    }
  }
}
