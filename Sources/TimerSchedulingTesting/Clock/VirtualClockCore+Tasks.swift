import Synchronization
package import TimerScheduling

extension VirtualClockCore {
  package func waitBegins(for event: AwaitedEvent) { world.waitBegins(for: event, of: self) }

  package func waitEnded() { world.waitEnded() }

  package func runBegins(_ run: ActionRun) {
    world.participantBegins(
      Member.Participant(name: "The action of \(timerName(run.timer.number, run.name))"))
  }

  package func runEnded() { world.participantEnded() }

  package func perform(_ work: () -> Void) { taskMaker.perform(work) }

  /// Counts a task that begins or ends to wait.
  func count(_ event: AwaitedEvent, _ change: Int) {
    switch event {
    case .tick, .limit: consumers.add(change, ordering: .relaxed)
    case .sleep:
      consumers.add(change, ordering: .relaxed)
      sleepers.add(change, ordering: .relaxed)
    case .end, .work: break
    }
  }

  /// The number of tasks that wait for a tick or a moment.
  var consumerCount: Int { consumers.load(ordering: .relaxed) }
  /// The number of tasks that sleep.
  var sleeperCount: Int { sleepers.load(ordering: .relaxed) }

  func fulfills(_ subject: World.Watch.Expectation.Subject) -> Bool {
    switch subject {
    case .consumers(let count): consumerCount >= count
    case .sleepers(let count): sleeperCount >= count
    }
  }

  package func waitForEndOfMoment(as number: UInt64) async {
    // Without a move of the clock, nothing else becomes due.
    guard world.isMoving else { return }
    await withCheckedContinuation { continuation in
      waitBegins(for: .work)
      // The search chooses whether the limit's task or the operation's goes on first.
      if world.isExploring {
        return world.add(
          ReadyWork(kind: .block({ continuation.resume() }, nil), member: nil, rank: .limit))
      }
      let isAdded = state.withLock { state in
        if !state.hasEnded { state.time.addLast(number, continuation) }
        return !state.hasEnded
      }
      if !isAdded { continuation.resume() }
    }
    waitEnded()
  }
}
