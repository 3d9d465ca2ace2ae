import Synchronization

extension TimerScheduler: TimerKeeper {
  nonisolated var isShutDown: Bool { shutdownLatch.isOpen }

  nonisolated func pendingTimer(on schedule: TimerSchedule) -> PendingTimer? {
    PendingTimer(schedule, defaultTolerance: defaultTolerance) { clock.readMonotonic() }
  }

  nonisolated func plan(_ schedule: TimerSchedule, at reading: ClockReading) -> TimerPlan {
    // Another seed for each timer, and the same ones in every scheduler that has the same seed itself.
    let number = schedule.options.jitter > .zero ? jitteredCount.add(1, ordering: .relaxed).newValue : 0
    let seed = jitterSeed ^ (number &* 0x9E37_79B9_7F4A_7C15)
    return TimerPlan(schedule, defaultTolerance: defaultTolerance, jitterSeed: seed, at: reading)
  }

  nonisolated func look(at record: TimerRecord, before due: Deadline) {
    // The closures keep the scheduler until it has looked.
    switch inbox.post(record, due: due, at: { clock.readMonotonic() }) {
    case .none: break
    case .now: executor.async { [self] in assumeIsolated { $0.runPass() } }
    case .later(let interval): executor.async(after: interval) { [self] in assumeIsolated { $0.runPass() } }
    }
  }

  nonisolated func giveUp(_ record: TimerRecord) {
    if let name = record.name { names.free(TimerName(name, of: record.owner), of: record) }
    owners.leave(record)
  }

  nonisolated func dispose(of remains: FollowUp.Remains, of record: TimerRecord) {
    assumeIsolated { $0.deferredRelease.add(remains, of: record) }
  }
}
