import Dispatch
import Synchronization
import TimerScheduling

/// The worker, which runs what is ready, and makes the moves of clocks when nothing is.
extension World {
  func start(_ worker: UInt64) {
    state.withLock { $0.queue }.async { self.work(as: worker) }
  }

  /// Begins to work with another thread, as the present one is blocked.
  func replaceWorker() {
    start(
      state.withLock { state in
        state.queue = DispatchQueue(label: "VirtualClock")
        state.current = nil
        state.worker += 1
        state.order?.isWhole = false
        return state.worker
      })
  }

  fileprivate enum Next {
    case work(ReadyWork)
    case rest(ClockMove)
    case automaticRest(VirtualBody)
    case verification
    case hold(TimeHold, progress: UInt64, pollCount: Int)
    case endless(ClockMove?, VirtualBody?)
    /// A job is about to be added.
    case arrival
    case stop
  }

  private func work(as worker: UInt64) {
    unsafe WorldThread.working(for: self, as: worker) { thread in
      while true {
        switch unsafe next(for: thread.pointee.worker, after: thread.pointee.member.take()) {
        case .work(let work):
          // Another thread goes on as the worker.
          if case .turn(let turn) = work.kind { return _ = turn.signal() }
          guard unsafe perform(work, on: thread) else {
            let worker = unsafe thread.pointee.worker
            DispatchQueue.main.async { self.workOnMainThread(work, as: worker) }
            return
          }
        case .arrival: return poll(0)
        case .rest(let move): if !move.step() { end(move) }
        case .automaticRest(let body): body.step()
        case .verification:
          // Where all jobs are seen, this is done once for a task from outside. A thread with a job of a task
          // that it has made may have to wait for a processor meanwhile.
          return unsafe verify(after: thread.pointee.worker, rounds: Executors.seeAllJobs ? 300 : 8)
        case .hold(.outside(let members), let progress, _): return pass(members, after: progress)
        case .hold(.underWay, _, let count): return poll(count)
        case .hold(.deadlock(let members), _, _): reportDeadlock(of: members)
        case .hold: return
        case .endless(let move, let body): reportEndlessMoment(move, body)
        case .stop: return
        }
      }
    }
  }

  /// Performs work unless it belongs on the main thread.
  private func perform(_ work: ReadyWork, on thread: UnsafeMutablePointer<WorldThread>) -> Bool {
    unsafe (thread.pointee.member, thread.pointee.hasGoneOn) = (work.member, false)
    switch work.kind {
    // After the end, a task that blocks its thread holds up no other.
    case .job(let job) where isOver: DispatchQueue.global().async { Runtime.run(job) }
    case .mainJob(let job) where isOver:
      DispatchQueue.main.async { unsafe job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
    case .job(let job):
      #if os(Linux)
      if isExploring {
        unsafe Runtime.run(job, on: thread)
        return true
      }
      #endif
      Runtime.run(job)
    case .block(let block, let maker): maker?.perform(block) ?? block()
    case .mainJob, .turn:
      unsafe thread.pointee.member = nil
      return false
    }
    return true
  }

  /// Runs jobs of the main actor, as long as the next is one. Then the worker goes on with another thread.
  private func workOnMainThread(_ first: ReadyWork, as worker: UInt64) {
    state.withLock { if $0.worker == worker { $0.current?.hasBegun = true } }
    unsafe WorldThread.working(for: self, as: worker) { thread in
      var next: ReadyWork? = first
      while let work = next, case .mainJob(let job) = work.kind {
        unsafe thread.pointee.member = work.member
        unsafe job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        var remains = Remains()
        next = state.withLock { $0.takeMainJob(for: worker, after: work.member, &remains) }
        drop(remains)
      }
    }
    start(worker)
  }

  private func next(for worker: UInt64, after last: Member?) -> Next {
    var remains = Remains()
    var successor: UInt64?
    let next: Next = state.withLock { state in
      guard state.worker == worker else {
        // Another worker has replaced it, and may have found no more to do before its job was over.
        successor = state.noteProgress()
        return .stop
      }
      if let last { state.hasRun(last, &remains) }
      let move = state.nextMove
      if state.moment.isEndless, move != nil || state.body != nil { return .endless(move, state.body) }
      // Tasks that only yield wait for the time, once each has had its turn after what others did: two jobs.
      let isPastYields = state.ready.hasOnlyYields && state.moment.yieldCount > 2 * state.ready.count
      if !isPastYields {
        if let work = state.takeWork() { return .work(work) }
        state.current = nil
      }
      let next = state.rest(&remains)
      switch next {
      case .work, .hold(.deadlock, _, _), .endless, .arrival: break
      case .stop, .hold(.call, _, _), .hold(.underWay, _, _):
        // Tasks that yield go on while time is held, or isn't theirs to move.
        if let work = state.takeWork() { return .work(work) }
        state.isAtWork = false
      case .verification, .hold: state.isAtWork = false
      case .rest, .automaticRest:
        if arrivingCount.load(ordering: .sequentiallyConsistent) > 0 {
          state.isAtWork = false
          return .arrival
        }
        // A delivery may make jobs that aren't seen. Those of an earlier moment were verified.
        state.progress &+= 1
        state.pollCount = 0
      }
      return next
    }
    drop(remains)
    if let successor { start(successor) }
    return next
  }

  /// Members, sleeps and clocks to release outside the lock.
  struct Remains {
    var members: [Member] = []
    var sleeps: [Member.Sleep] = []
    var clocks: [VirtualClockCore?] = []
    /// Those that were looked at, of which some may have ended.
    var settled: [[Member]] = []
  }

  func drop(_ remains: Remains) {
    for member in remains.members { Members.remove(member) }
    for sleep in remains.sleeps { sleep.clock.removeSleep(sleep.key)?(nil) }
  }

  // MARK: Verification

  /// Lets the main actor and the global executor run one further job each, in several rounds for tasks that
  /// go to and fro between the two, and then goes on. Ends if another worker has begun: it looks itself.
  private func verify(after worker: UInt64, rounds: Int) {
    DispatchQueue.main.async {
      Task.detached {
        let (isQuiet, next) = self.state.withLock { state -> (Bool, UInt64?) in
          guard state.worker == worker else { return (false, nil) }
          if rounds > 1 { return (true, nil) }
          state.verifiedProgress = state.progress
          return (true, state.startWork())
        }
        if let next { self.start(next) } else if isQuiet { self.verify(after: worker, rounds: rounds - 1) }
      }
    }
  }
}

extension World.State {
  /// Notes that there is something new to do. Returns the number of the worker to start, if none is at work.
  mutating func noteProgress() -> UInt64? {
    progress &+= 1
    pollCount = 0
    return startWork()
  }

  mutating func startWork() -> UInt64? {
    if isAtWork { return nil }
    isAtWork = true
    worker += 1
    return worker
  }

  /// Takes the next work, which is then under way.
  mutating func takeWork() -> ReadyWork? {
    moment.width = max(moment.width, ready.count)
    let work: ReadyWork?
    if var order = order.take() {
      work = ready.pop(by: &order, after: current)
      self.order = order
    } else {
      work = ready.popFirst()
    }
    guard let work else { return nil }
    progress &+= 1
    if let member = work.member {
      member.isReady = false
      if member.place == .unknown, work.isOwnJob { member.place = .world }
    }
    if work.onlyYields {
      moment.yieldCount += 1
    } else {
      moment.jobCount += 1
      // The job of an actor may be that of a task that only yields.
      if !work.isOfActor { moment.yieldCount = 0 }
      if let participant = work.member?.participant { lastParticipant = participant }
      if work.member?.participant?.isBody == true { bodyGoesOn() }
    }
    order?.timeline?.begins(work)
    let isForMainThread = work.lane == ReadyWork.mainLane
    current = World.Current(
      member: work.member, isForMainThread: isForMainThread, hasBegun: !isForMainThread,
      isResumption: work.isResumption)
    return work
  }

  /// Takes the next work if it is a job of the main actor.
  mutating func takeMainJob(
    for worker: UInt64, after last: Member?, _ remains: inout World.Remains
  ) -> ReadyWork? {
    guard self.worker == worker else { return nil }
    if let last { hasRun(last, &remains) }
    guard order == nil, ready.isMainJobFirst, !ready.hasOnlyYields, !moment.isEndless else { return nil }
    let work = takeWork()
    current?.hasBegun = true
    return work
  }

  /// Notes that a member's job has run. Unless the member waits for the clock now, the runtime knows what it
  /// does.
  mutating func hasRun(_ member: Member, _ remains: inout World.Remains) {
    takeOverSleep(of: member, &remains)
    if order?.isWhole == true, !member.isReady, case .turn(_, isOwn: true)? = member.runtimeWait {
      order?.isWhole = false
    }
    // A task that ends here resumes what waits for it before its job is over. The memory of a child of
    // `async let` is its parent's, which may use it again once the child has ended.
    if Runtime.seesWaits, member.place == .world, !member.prefersExecutor,
      member.isKept
        ? RuntimeWait.hasEnded(member.task.address, isKept: true)
        : member.runtimeWait ?? .hasEnded == .hasEnded && !member.isAwaited
    {
      (member.isUnsettled, member.isGone) = (false, true)
      participants[member.task.address] = nil
      return remains.members.append(member)
    }
    if member.wait == nil { ask(about: member) }
  }

  /// Notes that time has moved.
  mutating func timeMoves() {
    moment = World.Moment()
    watch.stuck = .zero
  }

  private mutating func bodyGoesOn() {
    moment.jobCount = 0
    watch.stuck = .zero
  }

  /// Returns the next step when no work is ready, or only that of tasks that yield.
  fileprivate mutating func rest(_ remains: inout World.Remains) -> World.Next {
    let underWay = settle(&remains)
    let move = nextMove
    guard move != nil || body != nil else { return .stop }
    if hasUnseenJobs, verifiedProgress != progress { return .verification }
    hasUnseenJobs = !Executors.seeAllJobs
    if let move {
      let waitsForNone = move.clock.settlingTimeout == .zero && holdCount == 0
      if waitsForNone || move.isCancelled.load(ordering: .relaxed) { return .rest(move) }
      return hold(underWay, move.clock) ?? .rest(move)
    }
    guard let body, body.idleProgress != progress else { return .stop }
    return hold(underWay, body.clock) ?? .automaticRest(body)
  }

  private mutating func hold(_ underWay: Member?, _ clock: VirtualClockCore) -> World.Next? {
    let hold = hold(underWay: underWay, of: clock)
    if case .nothing = hold { return nil }
    pollCount += 1
    return .hold(hold, progress: progress, pollCount: pollCount)
  }

  /// The move to make next. The moves of a clock take turns. Of several clocks, that one is moved which was
  /// asked last, as a task that another move waits for may have asked.
  var nextMove: ClockMove? {
    guard let last = moves.last else { return nil }
    return moves.first { $0.clock === last.clock }
  }
}
