package import Dispatch

/// A source of one wakeup at a time, which belongs to the scheduler's isolation. After its release it
/// delivers none. Each wakeup is followed by a call of one of these.
package protocol WakeupSource: AnyObject {
  /// Arms a wakeup at `deadline`, in place of an earlier one.
  func arm(at deadline: Deadline)

  func disarm()
}

/// A dispatch timer that performs what a ``WakeupStateMachine`` decides. On Linux every unbalanced call on a
/// dispatch source ends in an illegal instruction without a message, so no other code in the package calls
/// one.
package final class DispatchWakeupSource: WakeupSource {
  private var machine = WakeupStateMachine()
  private let timer: any DispatchSourceTimer
  private let timeline: Timeline

  /// Creates a source that calls `onWakeup` on the queue when an armed deadline has come and, rarely, once
  /// too often. It calls `onCancel` once, after the last call of `onWakeup`.
  package init(
    on timeline: Timeline, queue: DispatchQueue, onWakeup: @escaping @Sendable () -> Void,
    onCancel: (@Sendable () -> Void)? = nil
  ) {
    self.timeline = timeline
    // The deadline queue has already used the tolerances, so the system must add no leeway.
    timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    // A closure that inherited the caller's isolation would trap on Dispatch's queue.
    timer.setEventHandler { @Sendable in onWakeup() }
    if let onCancel { timer.setCancelHandler { @Sendable in onCancel() } }
  }

  deinit { cancel() }

  package func arm(at deadline: Deadline) { perform(machine.arm(at: deadline), deadline) }

  package func disarm() { perform(machine.disarm()) }

  package func cancel() { perform(machine.cancel()) }

  private func perform(_ calls: WakeupStateMachine.Calls, _ deadline: Deadline = .never) {
    if calls.contains(.setDeadline) { setDeadline(deadline) }
    if calls.contains(.activate) { timer.activate() }
    if calls.contains(.clearDeadline) { timer.schedule(deadline: .distantFuture) }
    if calls.contains(.cancel) { timer.cancel() }
  }

  private func setDeadline(_ deadline: Deadline) {
    let period = machine.period.map { DispatchTimeInterval.nanoseconds(Int($0.nanoseconds)) } ?? .never
    // The top two bits of a dispatch time select its clock, so deadlines must leave them clear.
    let latest: Int64 = (1 << 62) - 1
    switch timeline {
    case .monotonic:
      let nanoseconds = min(max(deadline.nanoseconds, 1), latest)
      let time = DispatchTime(uptimeNanoseconds: UInt64(nanoseconds))
      timer.schedule(deadline: time, repeating: period, leeway: .nanoseconds(0))
    case .wall:
      // Dispatch treats times up to 1970 as the distant future, so earlier deadlines become a second after
      // that.
      let nanoseconds = min(max(deadline.nanoseconds, 1_000_000_000), latest)
      // Adding to a reading gives an absolute time, even if the clock is set meanwhile.
      let now = DispatchWallTime.now()
      let delay = Int(clamping: nanoseconds.subtractingSaturated(now.nanosecondsSince1970))
      timer.schedule(wallDeadline: now + .nanoseconds(delay), repeating: period, leeway: .nanoseconds(0))
    }
  }
}

extension DispatchWallTime {
  /// The nanoseconds since 1970. A wall time stores them negated.
  var nanosecondsSince1970: Int64 { 0 &- Int64(truncatingIfNeeded: rawValue) }
}
