import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The side of those who control a timer, from any thread.
extension TimerEntry {
  private static let lastWaiter = Atomic<UInt64>(0)

  func pause(onQueue: Bool = false) {
    update(onQueue: onQueue) { $0.machine.pause(at: { driver.clock.read() }) }
  }

  func resume(_ behavior: ResumeBehavior, onQueue: Bool = false) {
    update(onQueue: onQueue) { $0.machine.resume(behavior, at: { driver.clock.read() }) }
  }

  func beginPausingScope() {
    update { $0.machine.beginPausingScope(at: { driver.clock.read() }) }
  }

  func endPausingScope() {
    update { $0.machine.endPausingScope(at: { driver.clock.read() }) }
  }

  func fireByHand() {
    guard checkOwner() else { return }
    update { $0.machine.fireByHand(at: { driver.clock.read() }) }
    driver.monitor?.noteFired(timer: id)
  }

  func reschedule(_ schedule: TimerSchedule) {
    if reschedulePending(schedule) { return }
    let reading = driver.clock.read()
    let plan = driver.plan(schedule, at: reading)
    let rule = update { gate in
      if gate.machine.isReschedulable { driver.observation.note(.rescheduled, of: self) }
      return gate.machine.reschedule(plan, at: reading)
    }
    // The rules, the one that was replaced and the one that wasn't taken up, are released here.
    withExtendedLifetime((rule, plan)) {}
  }

  /// Returns false for a timer that is no longer pending, or wouldn't be.
  private func reschedulePending(_ schedule: TimerSchedule) -> Bool {
    guard !driver.isShutDown, let other = driver.pendingTimer(on: schedule) else { return false }
    let followUp = change { cell in
      guard let followUp = cell.reschedule(as: other) else { return nil }
      if !cell.isFinished { driver.observation.note(.rescheduled, of: self) }
      return followUp
    }
    guard let followUp else { return false }
    perform(followUp, onQueue: false)
    return true
  }

  // MARK: Queries

  var isFinished: Bool { cell.withLock { $0.isFinished } }

  var state: TimerState { inspect { $0.machine.publicState } }

  var nextDate: Date? { inspect { $0.machine.nextDate(at: driver.clock.read()) } }

  var remainingTime: Interval? { inspect { $0.machine.remainingTime(at: driver.clock.read()) } }

  /// Looks at the timer, which has ended if its owner is gone or its scheduler has shut down.
  private func inspect<Result: Sendable>(_ body: (inout TimerGate) -> Result) -> Result {
    checkOwner()
    if driver.isShutDown { finish(.schedulerShutDown) }
    // In two steps: the compiler (6.3.1) fails at one under the thread sanitizer.
    return cell.withLock { cell in
      let timer = cell.inFull
      return body(&timer.gate)
    }
  }

  var failure: (any Error)? {
    cell.withLock { $0.unfolded?.gate.failure }
  }

  /// How much of a countdown has elapsed.
  var elapsedTime: Interval {
    cell.withLock { $0.inFull.gate.machine.countdown(at: driver.clock.read()) }?.elapsed ?? .zero
  }

  /// What a countdown counts, or nil for any other timer.
  var countdownScale: CountdownScale? {
    cell.withLock { $0.inFull.gate.machine.countdown(at: driver.clock.read()) }?.scale
  }

  /// What a live timer is like, or nil if it has finished.
  func snapshot(at reading: ClockReading) -> TimerSnapshot? {
    cell.withLock { cell in
      let timer = cell.inFull
      guard !timer.gate.machine.isFinished else { return nil }
      return TimerSnapshot(
        id: TimerID(number: id), name: name, state: timer.gate.machine.publicState,
        nextDate: timer.gate.machine.nextDate(at: reading),
        remainingTime: timer.gate.machine.remainingTime(at: reading)?.duration,
        tickCount: Int(clamping: timer.gate.machine.ledger.takenCount),
        missedCount: Int(clamping: timer.gate.machine.ledger.totalMissedCount),
        lastLateness: timer.gate.machine.ledger.newestLateness?.duration,
        maxLateness: timer.gate.machine.ledger.greatestLateness?.duration,
        failureCount: timer.gate.action?.failureCount ?? 0, isRunning: timer.gate.isRunning)
    }
  }

  // MARK: Waiting for the end

  /// Waits until the timer has finished and what it held is released, and with `quiet` until no action runs.
  ///
  /// Returns nil if the calling task is cancelled first, which with `quiet` makes no difference.
  @discardableResult
  func waitForEnd(quiet: Bool) async -> TimerFinishReason? {
    checkOwner()
    if driver.isShutDown { finish(.schedulerShutDown) }
    let number = Self.lastWaiter.add(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await WaitingConsumer.suspend(noting: driver.monitor) { consumer in
        cell.withLock { cell in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          if !quiet, Task.isCancelled { return false }
          return cell.wait(consumer, number: number, quiet: quiet)
        }
      }
    } onCancel: {
      if !quiet { giveUpWaiting(number) }
    }
    return cell.withLock { $0.inFull.gate.machine.finishReason }
  }

  private func giveUpWaiting(_ number: UInt64) {
    let waiter = cell.withLock { $0.unfold().gate.waiters.removeValue(forKey: number) }
    waiter?.consumer.resume(noting: driver.monitor)
  }

  /// Waits until the timer has finished, what it held is released, and no action runs.
  ///
  /// From inside a run it returns at once where the timer's run is that one, or waits for that one.
  func waitUntilQuiet() async {
    guard let run = cell.withLock({ $0.unfolded?.gate.action?.run }) else {
      await waitForEnd(quiet: true)
      return
    }
    let wait = RunWaits.shared.begin(for: .run(of: id, number: run))
    guard wait?.closesCircle != true else { return }
    await waitForEnd(quiet: true)
    if let wait { RunWaits.shared.end(wait) }
  }
}
