import Synchronization
package import TimerScheduling

extension VirtualClockCore: ClockWorld {
  package func waitBegins(for event: AwaitedEvent) { clockWorld.waitBegins(for: event, of: self) }

  package func waitEnded() { clockWorld.waitEnded() }

  package func runBegins(_ run: ActionRun, of scheduler: UInt64) {
    let name = "The action of \(timerName(run.timer.number, run.name))"
    clockWorld.participantBegins(
      Group.Participant(name: name, scheduler: scheduler), in: Group(of: run))
  }

  package func runEnded() { clockWorld.participantEnded() }

  /// Counts a task that begins or ends to wait.
  func count(_ event: AwaitedEvent, _ change: Int) {
    switch event {
    case .tick, .limit: consumerCount.add(change, ordering: .relaxed)
    case .sleep:
      consumerCount.add(change, ordering: .relaxed)
      sleeperCount.add(change, ordering: .relaxed)
    case .end, .work: break
    }
  }

  func fulfills(_ subject: WorldWatch.Expectation.Subject) -> Bool {
    switch subject {
    case .consumers(let count): consumerCount.load(ordering: .relaxed) >= count
    case .sleepers(let count): sleeperCount.load(ordering: .relaxed) >= count
    case .runs: false
    }
  }

  package func waitForEndOfMoment(as number: UInt64) async {
    // Without a move of the clock, nothing else becomes due.
    guard clockWorld.isMoving else { return }
    waitBegins(for: .work)
    await withCheckedContinuation { continuation in
      state.withLock { $0.time.addLast(number, continuation) }
    }
    waitEnded()
  }

  // MARK: Shutdown

  package func shutdownWaitBegins(of scheduler: UInt64, giveUp: @escaping @Sendable () -> Void) -> UInt64 {
    let number = makeNumber()
    let expectation = WorldWatch.Expectation(
      subject: .runs(of: scheduler), clock: self, limit: shutdownLimit, end: giveUp)
    clockWorld.state.withLock { $0.watch.expectations[number] = expectation }
    return number
  }

  package func shutdownWaitEnded(_ number: UInt64) {
    let expectation = clockWorld.state.withLock { $0.watch.expectations.removeValue(forKey: number) }
    withExtendedLifetime(expectation) {}
    reportFailures(at: madeAt)
  }
}
