import Synchronization

extension TimerScheduler: TimerKeeper {
  nonisolated var isShutDown: Bool { shutDownFlag.load(ordering: .acquiring) }

  nonisolated func plan(
    _ schedule: TimerSchedule, for id: UInt64, at reading: ClockReading
  ) -> TimerPlan {
    TimerPlan(
      schedule, defaultTolerance: defaultTolerance, jitterSeed: jitterSeed ^ (id &* 0x9E37_79B9_7F4A_7C15),
      at: reading)
  }

  nonisolated func look(at record: TimerRecord) {
    if inbox.post(record) { callForPass() }
  }

  nonisolated func callForPass() {
    // The closure keeps the scheduler until it has looked.
    executor.async { [self] in assumeIsolated { $0.runPass() } }
  }

  nonisolated func giveUp(_ record: TimerRecord) {
    if let name = record.name { names.free(TimerName(name, of: record.owner), of: record) }
    owners.leave(record)
  }

  nonisolated func dispose(of remains: FollowUp.Remains) {
    assumeIsolated { $0.remainders.add(remains) }
  }

  nonisolated func noteBegin(_ run: ActionRun, of record: TimerRecord) { actions.begin(run, of: record) }
  nonisolated func noteEnd(_ run: ActionRun) { actions.end(run) }
}
