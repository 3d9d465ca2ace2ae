import Dispatch
import TimerScheduling

/// What keeps the time of a world that is at rest from moving.
enum TimeHold {
  case nothing
  /// A call of `holdTime`, or a wait for another world.
  case call
  /// A member that is under way: on an executor, or about to be on an actor, that isn't the world's.
  case underWay(Member)
  /// Members that wait for something outside, on which participants wait. It holds for a moment of real time.
  case outside([Member])
  /// Tasks that wait for each other. A participant waits for the first.
  case deadlock([Member])

  /// The hold of several waits at once, of which each must end.
  static func all(_ members: some Sequence<Member>, _ holdOf: (Member) -> TimeHold) -> TimeHold {
    var all = TimeHold.nothing
    for member in members {
      let hold = holdOf(member)
      if case .nothing = hold { continue }
      all = all.and(hold)
    }
    return all
  }

  private func and(_ other: TimeHold) -> TimeHold {
    switch (self, other) {
    case (.call, _), (_, .nothing): self
    case (.nothing, _), (_, .call): other
    case (.underWay, _): self
    case (_, .underWay): other
    case (.outside(let some), .outside(let others)): .outside(some + others)
    case (.outside, .deadlock): other
    case (.deadlock, _): self
    }
  }
}

extension World.State {
  /// Asks the runtime about each member of which the world doesn't know what it does. Returns one that is
  /// under way. A task that has ended is removed.
  mutating func settle(_ remains: inout World.Remains) -> Member? {
    var (left, ended) = ([Member](), [Member]())
    var (underWay, roaming) = (Member?.none, [(Member, RuntimeWait)]())
    for member in unsettled where member.isUnsettled {
      takeOverSleep(of: member, &remains)
      let asked = member.isGone ? .hasEnded : Runtime.seesWaits ? member.runtimeWait : .continuation
      switch asked {
      case nil, .hasEnded: ended.append(member)
      case .some(RuntimeWait.none), .turn?:
        left.append(member)
        // Its job is in the queue, and is that of a task that only yields.
        if member.isReady { continue }
        isElsewhere(member)
        if member.passedWait?.isUnderWay != true { underWay = underWay ?? member }
      case .task(_)?, .group(_)?, .stream?, .continuation?:
        if member.prefersExecutor { isElsewhere(member) }
        guard member.place != .world, Runtime.seesWaits, let wait = asked else {
          member.isUnsettled = false
          continue
        }
        left.append(member)
        roaming.append((member, wait))
      }
    }
    // A thread elsewhere ends a task first, and then resumes the task that waits for it. In between, that
    // one waits still, or it neither waits nor has a job.
    var waits: Waits?
    for member in ended {
      if let waiting = member.isAwaited ? member : waiting(for: member, &waits) {
        left.append(member)
        underWay = underWay ?? waiting
        continue
      }
      (member.isUnsettled, member.isGone) = (false, true)
      participants[member.task.address] = nil
      remains.members.append(member)
    }
    if !ended.isEmpty, Runtime.seesWaits {
      let resumed = Members.members(of: ended[0].world).filter { $0.isBeingResumed }
      for member in resumed { member.isUnsettled = true }
      left += resumed
      underWay = underWay ?? resumed.first
    }
    // One that was asked first may have been resumed since then by one that was asked later, and has ended.
    if unsettled.count > 1 { underWay = underWay ?? roaming.first { $0.runtimeWait != $1 }?.0 }
    // It waits for a task that has ended, whose thread is about to resume it.
    underWay = underWay ?? roaming.first { isForEnded($1, in: $0.world) }?.0
    // The world may be the last to hold one that has ended, and with it what the task's body holds.
    remains.settled.append(unsettled)
    unsettled = left
    return underWay
  }

  private func isForEnded(_ wait: RuntimeWait, in world: World) -> Bool {
    switch wait {
    case .task(let address): RuntimeWait.hasEnded(address, isKept: false)
    case .group(let address):
      Runtime.seesBirths && !Members.members(of: world).contains { $0.group == address && !$0.isGone }
    case .hasEnded, .none, .turn, .stream, .continuation: false
    }
  }

  private func waiting(for ended: Member, _ waits: inout Waits?) -> Member? {
    guard ended.isKept else { return nil }
    let all = waits ?? Waits(in: ended.world)
    waits = all
    return all.waiting(for: ended)
  }

  /// Ends the sleep of a member that was cancelled, once it goes on: the runtime may have resumed it without
  /// a job that the world sees. Until then, the sleep's own end would come before its error.
  mutating func takeOverSleep(of member: Member, _ remains: inout World.Remains) {
    guard member.sleep != nil, Runtime.seesWaits,
      RuntimeWait.isCancelled(member.task, isKept: member.isKept), member.runtimeWait != .continuation
    else { return }
    endSleep(of: member, &remains)
  }

  /// Says what keeps time from moving. Nothing does if each participant has ended or waits for the clock, for
  /// a stream, or for a task or a group that does. A wait for another continuation holds it for a moment of
  /// real time: another member may resume it, or a socket, and nothing tells.
  mutating func hold(underWay: Member?, of clock: VirtualClockCore) -> TimeHold {
    if holdCount > 0 { return .call }
    if let underWay { return .underWay(underWay) }
    return .all(participants.values) { hold(of: $0, [], clock) }
  }

  func hold(of member: Member, _ path: [Member], _ clock: VirtualClockCore) -> TimeHold {
    if member.wait != nil || member.isGone || member.isReady { return .nothing }
    // A job of the world ends this wait.
    if member.place == .world, member.passedWait == .stream { return .nothing }
    if let first = path.firstIndex(where: { $0 === member }) { return .deadlock(Array(path[first...])) }
    guard Runtime.seesWaits else {
      // A body waits for the clock as well if a task does that isn't known to belong to another participant.
      let isBody = member.participant?.isBody == true
      let waits = Members.members(of: member.world).contains {
        $0.wait != nil && ($0.root === member || isBody && $0.root == nil)
      }
      return waits || member.passedWait != nil ? .nothing : .underWay(member)
    }
    let wait = member.runtimeWait ?? .hasEnded
    switch wait {
    case .hasEnded: return .nothing
    case .none, .turn: return member.passedWait?.isUnderWay == true ? .nothing : .underWay(member)
    case .stream:
      member.passes(wait, at: clock)
      return .nothing
    case .task(let address):
      if let task = Members.member(at: address), task.world === member.world, !task.isGone {
        return hold(of: task, path + [member], clock)
      }
    case .group(let address):
      let children = Members.members(of: member.world).filter { $0.group == address && !$0.isGone }
      if !children.isEmpty { return .all(children) { hold(of: $0, path + [member], clock) } }
    case .continuation: break
    }
    guard member.passedWait == wait else { return .outside([member]) }
    member.passes(wait, at: clock)
    return .nothing
  }
}

/// The members of a world that wait for tasks and groups.
private struct Waits {
  private var tasks: [UInt: Member] = [:]
  private var groups: [UInt: Member] = [:]
  /// The groups with a child that hasn't ended.
  private var unfinished: Set<UInt> = []

  init(in world: World) {
    for member in Members.members(of: world) {
      switch member.runtimeWait {
      case .task(let address)?: tasks[address] = member
      case .group(let address)?: groups[address] = member
      case nil, .hasEnded?: continue
      case .some(RuntimeWait.none), .turn?, .stream?, .continuation?: break
      }
      if member.group != 0 { unfinished.insert(member.group) }
    }
  }

  /// Returns the member that waits for an ended task, or for a group of which it was the last child.
  func waiting(for ended: Member) -> Member? {
    tasks[ended.task.address] ?? (unfinished.contains(ended.group) ? nil : groups[ended.group])
  }
}

extension Member {
  /// What the task does, as the runtime knows it.
  var runtimeWait: RuntimeWait? {
    guard binding == nil || mayBeBound else { return nil }
    return RuntimeWait.of(task, isKept: isKept)
  }

  /// Whether it runs or is about to, as the runtime knows it.
  var isUnderWay: Bool {
    isKept && RuntimeWait.runsOrIsEnqueued(task) || runtimeWait?.isUnderWay == true
  }

  /// Whether its parent may have the record of the two. While the parent is under way, its records can't be
  /// read: its thread writes them.
  private var mayBeBound: Bool {
    guard let binding, let wait = binding.parent.runtimeWait, wait != .hasEnded else { return false }
    let parent = binding.parent
    return wait.isUnderWay
      || RuntimeWait.hasRecord(of: parent.task, isKept: parent.isKept) { $0 == binding.record }
      || parent.runtimeWait != wait
  }

  /// Whether its jobs run on an executor that it prefers to the global one. In a world that explores orders,
  /// tasks prefer the kit's.
  var prefersExecutor: Bool {
    !world.isExploring && RuntimeWait.prefersExecutor(task, isKept: isKept)
  }

  /// Whether the parent of a child by `async let` waits for it.
  var isAwaited: Bool {
    guard let binding, Members.member(at: task.address) === self else { return false }
    return binding.parent.runtimeWait == .task(task.address)
  }

  /// Whether the runtime says that it is about to run, and the world has no job of it.
  fileprivate var isBeingResumed: Bool {
    !isUnsettled && !isReady && !isGone && wait == nil && passedWait?.isUnderWay != true
      && isUnderWay
  }

  /// Notes that time doesn't wait for what the task waits for. One that was resumed meanwhile is under way,
  /// so time waits for it.
  func passes() {
    guard !isGone, let wait = runtimeWait, !wait.isUnderWay else { return }
    passedWait = wait
  }

  /// Notes that time may move although the task waits.
  fileprivate func passes(_ wait: RuntimeWait, at clock: VirtualClockCore) {
    passedWait = wait
    if passed == nil { passed = Passed(clock: clock, moment: clock.shown.now) }
  }

  /// Notes that code outside of the world resumes the task. Fails the test if time has moved since a
  /// participant began to wait for that.
  func noteResumption() {
    guard let passed, let clock = passed.clock, clock.shown.now > passed.moment else { return }
    clock.fail(
      "\(subject) has waited since \(clock.offset(at: passed.moment)) for something outside, and goes on at "
        + "\(clock.offset(at: clock.shown.now)): how far time has moved meanwhile is chance. Wait in "
        + "`await clock.holdTime { … }`.")
  }
}

extension World {
  /// Lets time move past members that wait for something outside, if nothing happens for 50 milliseconds of
  /// real time. They pass in steps, each a wakeup of a thread: on a busy machine, what is outside is as late.
  func pass(_ members: [Member], after progress: UInt64, steps: Int = 10) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
      let worker = self.state.withLock { state -> UInt64? in
        guard state.progress == progress, !state.isAtWork else { return nil }
        if steps > 1 {
          self.pass(members, after: progress, steps: steps - 1)
          return nil
        }
        for member in members { member.passes() }
        state.order?.isWhole = false
        return state.startWork()
      }
      if let worker { self.start(worker) }
    }
  }

  /// Looks again soon, as a member is under way elsewhere.
  func poll(_ count: Int) {
    let delay = DispatchTimeInterval.microseconds(min(20 << min(count, 8), 5_000))
    state.withLock { $0.queue }.asyncAfter(deadline: .now() + delay) {
      let worker = self.state.withLock { $0.startWork() }
      if let worker { self.start(worker) }
    }
  }
}
