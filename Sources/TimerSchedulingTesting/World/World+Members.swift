import TimerScheduling

/// Waits and participants: the calls in which a member tells its world what it does.
extension World {
  /// Makes a task a member, and one of its maker's group.
  func join(_ task: UInt64, madeBy maker: Member?) -> Member {
    let group = maker.flatMap { maker in maker.world === self ? state.withLock { _ in maker.group } : nil }
    return Members.add(Member(task: task, world: self, group: group))
  }

  /// The member of the current task, which becomes one of this world if it is none. Nil outside of tasks.
  ///
  /// A task that `isMaker` has just made a clock of the world, so no task that it has made before can use that.
  @discardableResult
  func currentMember(isMaker: Bool = false) -> Member? {
    let task = ConcurrencyRuntime.currentTask
    if let member = WorldThread.current?.member, member.task == task { return member }
    if task == 0 { return nil }
    let here = World.here
    if let member = here?.member, member.task == task { return member }
    // The tasks that a task from outside has made so far aren't known.
    if here == nil, !isMaker { state.withLock { $0.hasUnseenJobs = true } }
    // A task that has begun without a job isn't known, nor is one that was made on an actor and enqueued there.
    return (here?.world ?? self).join(task, madeBy: here?.member)
  }

  /// Makes a change after which the clock may have no group to wait for. On a thread outside of the world, the worker
  /// isn't at work.
  private func change(_ body: (inout State) -> Void) {
    let worker = state.withLock { state in
      body(&state)
      if !Executors.seeAllJobs { return state.noteProgress() }
      return state.busyCount == 0 ? state.startWork() : nil
    }
    if let worker { start(worker) }
  }

  // MARK: Waits

  /// Notes that the current task is about to wait for an event of a clock.
  func waitBegins(for event: AwaitedEvent, of clock: VirtualClockCore?) {
    guard let member = currentMember() else { return }
    let added = member.world.added
    member.world.change { state in
      // The maker of a task isn't known if the task was enqueued on an actor, or by an actor's own job.
      if member.group == nil { member.group = state.inheritedGroup(added) }
      if member.wait == nil { state.beginWait(of: member, for: event, clock) }
    }
    clock?.clockWorld.endFulfilledWaits()
  }

  /// Notes that the current task goes on.
  func waitEnded() {
    guard let member = currentMember() else { return }
    let clock = member.world.state.withLock { $0.endWait(of: member) }
    withExtendedLifetime(clock) {}
  }

  // MARK: Participants

  /// Performs an added task or a body, in the task that is it.
  func perform<R>(_ participant: Group.Participant, _ operation: () async throws -> R) async rethrows -> R {
    participantBegins(participant, in: added)
    defer { participantEnded() }
    return try await Group.$current.withValue(added, operation: operation)
  }

  /// Notes that the current task is a run, an added task or a body from now on.
  func participantBegins(_ participant: Group.Participant, in group: Group) {
    guard let member = currentMember() else { return }
    member.world.state.withLock { state in
      state.change(group) { $0.participants[member.task] = participant }
      state.groups[ObjectIdentifier(group)] = group
      member.group = group
    }
  }

  /// Notes that the current task does nothing more.
  func participantEnded() {
    guard let member = currentMember() else { return }
    member.world.change { state in
      guard let group = member.group else { return }
      state.change(group) { $0.participants[member.task] = nil }
      if group.participants.isEmpty { state.groups[ObjectIdentifier(group)] = nil }
    }
    Members.remove(member.task)
  }
}

extension World.State {
  /// Notes that a job of a member became ready. Returns the clock for which it has waited.
  mutating func hasJob(_ member: Member) -> VirtualClockCore? {
    if let group = member.group, group.isGivenUp { change(group) { $0.isGivenUp = false } }
    return endWait(of: member)
  }

  /// Returns the group that the current task has inherited from its maker.
  fileprivate func inheritedGroup(_ added: Group) -> Group? {
    if let group = Group.current, group === added { return group }
    guard let run = ActionRun.current else { return nil }
    return groups.values.first { $0.run?.timer == run.timer && $0.run?.number == run.number }
  }

  mutating func beginWait(of member: Member, for event: AwaitedEvent, _ clock: VirtualClockCore?) {
    member.wait = (event, clock)
    waitingCount += 1
    if let group = member.group { change(group) { $0.waitingCount += 1 } }
    clock?.count(event, 1)
  }

  mutating func endWait(of member: Member) -> VirtualClockCore? {
    guard let (event, clock) = member.wait else { return nil }
    member.wait = nil
    waitingCount -= 1
    if let group = member.group { change(group) { $0.waitingCount -= 1 } }
    clock?.count(event, -1)
    return clock
  }

  mutating func change(_ group: Group, _ body: (Group) -> Void) {
    if group.isBusy { busyCount -= 1 }
    body(group)
    if group.isBusy { busyCount += 1 }
  }
}
