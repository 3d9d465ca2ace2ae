import TimerScheduling

/// Waits and participants: the calls in which a member tells its world what it does.
extension World {
  // MARK: Waits

  /// Notes that the current task waits for an event of a clock. It is called where the task is about to be
  /// suspended, so that the next job of the task is the end of the wait.
  func waitBegins(for event: AwaitedEvent, of clock: VirtualClockCore) {
    guard let member = currentMember() else { return }
    member.world.note(event, of: clock, by: member)
    clock.world.endFulfilledWaits()
  }

  /// Notes a wait of a member, and its sleep by one of Swift's own clocks.
  func note(_ event: AwaitedEvent, of clock: VirtualClockCore, by member: Member, sleep: Member.Sleep? = nil)
  {
    // On a thread outside of the world, the member is resumed there.
    let isElsewhere = WorldThread.current?.world !== self
    var remains = Remains()
    let worker = state.withLock { state -> UInt64? in
      // One that goes on has no sleep any more.
      state.endSleep(of: member, &remains)
      if member.isGone || member.wait != nil { return nil }
      member.wait = (event, clock)
      member.sleep = sleep
      state.waitingCount += 1
      clock.count(event, 1)
      guard isElsewhere else { return nil }
      state.isElsewhere(member)
      state.ask(about: member)
      return state.noteProgress()
    }
    drop(remains)
    if let worker { start(worker) }
  }

  /// Notes that the current task goes on.
  func waitEnded() {
    guard let task = Runtime.currentTask, let member = Members.member(task) else { return }
    member.world.waitEnded(of: member)
  }

  /// Ends a member's wait, or only the sleep with a key.
  func waitEnded(of member: Member, sleep key: UInt64? = nil) {
    let ended = state.withLock { state -> (VirtualClockCore?, Member.Sleep?) in
      if let key, member.sleep?.key != key { return (nil, nil) }
      return (state.endWait(of: member), member.sleep.take())
    }
    withExtendedLifetime(ended) {}
  }

  // MARK: Participants

  /// Performs an added task or a body, in the task that is it.
  func perform<R>(_ participant: Member.Participant, _ operation: () async throws -> R) async rethrows -> R {
    participantBegins(participant)
    defer { participantEnded() }
    return try await operation()
  }

  /// Notes that the current task is a run, an added task or a body from now on.
  func participantBegins(_ participant: Member.Participant) {
    guard let member = currentMember() else { return }
    member.world.state.withLock { state in
      if member.isGone { return }
      member.participant = participant
      state.participants[member.task.address] = member
      state.lastParticipant = participant
    }
  }

  /// Notes that the current task does nothing more.
  func participantEnded() {
    guard let task = Runtime.currentTask, let member = Members.member(task) else { return }
    let world = member.world
    let worker = world.state.withLock { state -> UInt64? in
      state.participants[task.address] = nil
      member.isGone = true
      // On a thread outside of the world, the worker isn't at work.
      return state.noteProgress()
    }
    if let worker { world.start(worker) }
    Members.remove(member)
  }
}

extension World.State {
  /// Ends a member's wait for the clock. Returns the clock.
  mutating func endWait(of member: Member) -> VirtualClockCore? {
    guard let (event, clock) = member.wait else { return nil }
    member.wait = nil
    waitingCount -= 1
    clock.count(event, -1)
    return clock
  }

  /// Ends a member's sleep by one of Swift's own clocks.
  mutating func endSleep(of member: Member, _ remains: inout World.Remains) {
    guard let sleep = member.sleep.take() else { return }
    remains.sleeps.append(sleep)
    remains.clocks.append(endWait(of: member))
  }

  /// Notes that a member runs on an executor that isn't the world's.
  mutating func isElsewhere(_ member: Member) {
    member.place = .elsewhere
    order?.isWhole = false
  }

  /// Has the runtime asked what a member does when the world is at rest next.
  mutating func ask(about member: Member) {
    if member.isUnsettled || member.isGone { return }
    member.isUnsettled = true
    unsettled.append(member)
  }
}
