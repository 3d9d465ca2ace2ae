import Synchronization
import TimerSchedulingFoundation

extension TimerEntry {
  func pause(inScope: Bool = false) {
    update { $0.pause(inScope: inScope, at: { driver.read() }) }
  }

  func resume(_ behavior: ResumeBehavior, endingScope: Bool = false) {
    update { $0.resume(behavior, endingScope: endingScope, at: { driver.read() }) }
  }

  func fireByHand() {
    guard checkOwner() else { return }
    update { $0.fireByHand(at: { driver.read() }) }
  }

  /// Returns false if the timer has finished or is a countdown's.
  func reschedule(_ schedule: TimerSchedule) -> Bool {
    let now = driver.clock.readMonotonic()
    if case .once(let delay) = schedule.cadence, postpone(by: delay, schedule.options, at: now) {
      return true
    }
    // Asks the schedule's rule before any lock is taken.
    var reading: ClockReading?
    let next = driver.bind(schedule, at: now, &reading)
    let (rule, isRescheduled) = update { machine in
      let isRescheduled = machine.isReschedulable
      if isRescheduled { driver.observation.record(.rescheduled, of: identifier(machine), named: name) }
      return (machine.reschedule(next, at: reading ?? driver.read()), isRescheduled)
    }
    // The replaced rule, and one that wasn't used, are released here.
    withExtendedLifetime(rule) {}
    withExtendedLifetime(next) {}
    driver.noteAgain(reading)
    return isRescheduled
  }

  /// Adopts a later deadline, if nothing else needs to change: the timer stays filed where it is.
  private func postpone(by delay: Interval, _ options: TimerSchedule.Options, at now: Deadline) -> Bool {
    !driver.isObserved
      && machine.withLock { machine in
        !driver.isShutDown && !driver.isAbandoned.load(ordering: .acquiring)
          && machine.postpone(by: delay, options, defaultTolerance: driver.defaultTolerance, at: now)
      }
  }

  /// Returns false if the countdown is over.
  func extendCountdown(by interval: Interval) -> Bool {
    update { machine in
      let isExtended = machine.extendCountdown(by: interval, at: { driver.read() })
      if isExtended { driver.observation.record(.rescheduled, of: identifier(machine), named: name) }
      return isExtended
    }
  }

  var identifier: TimerID { machine.withLock { identifier($0) } }

  /// Returns the timer's identifier, with its place, through which the timer is found in constant time.
  func identifier(_ machine: borrowing TimerStateMachine) -> TimerID {
    TimerID(number: id, place: machine.lastPlace?.bits)
  }

  var isFinished: Bool { machine.withLock { $0.isFinished } }

  var state: TimerState { inspect { $0.publicState } }

  var nextDate: Date? { inspect { $0.nextDate(at: driver.read()) } }

  func nextDates(_ count: Int) -> [Date] {
    precondition(count >= 0, "A number of dates must be zero or more, but \(count) was given.")
    return inspect { $0.datesAhead(at: driver.read()) }.map { Array($0.prefix(count)) } ?? []
  }

  var remainingTime: Interval? { inspect { $0.remainingTime(at: driver.read()) } }

  /// Reads from the machine, after ending a timer whose owner is gone or whose scheduler has shut down.
  private func inspect<Result: Sendable>(_ body: (inout TimerStateMachine) -> Result) -> Result {
    finishIfOver()
    return machine.withLock { body(&$0) }
  }

  var schedule: TimerSchedule? { machine.withLock { $0.schedule } }

  var failure: (any Error)? { machine.withLock { $0.failure }?.error }

  /// The scale of a countdown and its elapsed time. Nil for any other timer.
  var countdown: (scale: CountdownScale, elapsed: Interval)? {
    machine.withLock { $0.countdown(at: driver.read()) }
  }

  /// Returns nil if the timer has finished.
  func snapshot(at reading: ClockReading) -> TimerSnapshot? {
    machine.withLock { machine in
      guard !machine.isFinished else { return nil }
      return TimerSnapshot(
        id: identifier(machine), name: name, state: machine.publicState,
        nextDate: machine.nextDate(at: reading),
        remainingTime: machine.remainingTime(at: reading)?.duration,
        tickCount: Int(clamping: machine.ledger.takenCount),
        missedCount: Int(clamping: machine.missedCount(at: reading, whileRunning: machine.isRunning)),
        failureCount: machine.failureCount,
        lastLateness: machine.ledger.newestLateness?.duration,
        isRunning: machine.isRunning,
        schedule: machine.schedule)
    }
  }

  /// Waits until the timer has finished and its values are released. Returns nil if the calling task is
  /// cancelled first, or if the wait would last for ever.
  func waitUntilFinished() async -> TimerFinishReason? {
    finishIfOver()
    let end = RunTracker.Graph.TimerEnd(timer: id) { self.machine.withLock { $0.lastRun } }
    // After a wait this looks again, as the run under way may have become the timer's last.
    var hasWaited: Bool
    repeat {
      hasWaited = false
      await RunTracker.wait(for: .end(end)) { begins in
        await WaitingTask.suspendUntilCancelled(
          for: .end(timer: id, name: name), in: driver.virtual
        ) { task, number in
          guard machine.withLock({ !Task.isCancelled && $0.waitForEnd(task, number: number) }) else {
            return false
          }
          // From here on, if another run becomes the last, the task is resumed, and looks again.
          if !begins(), machine.withLock({ $0.giveUpWait(number) }) != nil { return false }
          hasWaited = true
          return true
        } giveUp: { number in
          machine.withLock { $0.giveUpWait(number) }
        }
      }
    } while hasWaited
    return machine.withLock { $0.finishReason }
  }

  /// Waits until the timer has finished, its values are released, and no run is under way.
  func waitUntilQuiet() async {
    finishIfOver()
    guard let run = machine.withLock({ $0.run }) else { return await suspendUntilQuiet() }
    await RunTracker.wait(for: .run(RunKey(timer: id, number: run))) { begins in
      if begins() { await suspendUntilQuiet() }
    }
  }

  private func suspendUntilQuiet() async {
    await WaitingTask.suspend(for: .end(timer: id, name: name), in: driver.virtual) { task in
      machine.withLock { $0.waitUntilQuiet(task) }
    }
  }

  private func finishIfOver() {
    checkOwner()
    if driver.isShutDown { finish(.schedulerShutDown) }
    if machine.withLock({ $0.isOver(at: { driver.read() }) }) {
      update { $0.endIfOver(at: { driver.read() }) }
    }
  }
}
