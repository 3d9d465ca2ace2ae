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
        return state.worker
      })
  }

  fileprivate enum Next {
    case work(ReadyWork)
    case rest(ClockMove)
    case automaticRest(VirtualBody)
    case verification
    case stop
  }

  private func work(as worker: UInt64) {
    unsafe WorldThread.with(self) { thread in
      while true {
        switch next(for: worker) {
        case .work(let work):
          guard unsafe perform(work, on: thread) else {
            DispatchQueue.main.async { self.workOnMainThread(work, as: worker) }
            return
          }
        case .rest(let move): if !move.step() { end(move) }
        case .automaticRest(let body): body.step()
        case .verification: return verify()
        case .stop: return
        }
      }
    }
  }

  /// Performs work unless it belongs on the main thread.
  private func perform(_ work: ReadyWork, on thread: UnsafeMutablePointer<WorldThread>) -> Bool {
    unsafe thread.pointee.begin(work, isTimed: sleepsAreVirtual)
    switch work.kind {
    case .job(let job): ConcurrencyRuntime.run(job)
    case .block(let block): block()
    case .mainJob: return false
    }
    unsafe thread.pointee.end()
    return true
  }

  /// Runs jobs of the main actor, as long as the next is one. Then the worker goes on with another thread.
  private func workOnMainThread(_ first: ReadyWork, as worker: UInt64) {
    unsafe WorldThread.with(self) { thread in
      var next: ReadyWork? = first
      while let work = next, case .mainJob(let job) = work.kind {
        unsafe thread.pointee.begin(work, isTimed: sleepsAreVirtual)
        unsafe job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        next = state.withLock { $0.takeMainJob(for: worker) }
      }
    }
    start(worker)
  }

  private func next(for worker: UInt64) -> Next {
    state.withLock { state in
      guard state.worker == worker else { return .stop }
      if state.isRestForced {
        state.isRestForced = false
        if case .rest(let move) = state.rest { return .rest(move) }
      }
      if let work = state.takeWork() { return .work(work) }
      state.current = nil
      let next = state.rest
      switch next {
      case .stop, .verification: state.isAtWork = false
      // What is delivered now may have jobs that aren't seen. Those of an earlier moment were verified.
      case .work, .rest, .automaticRest: state.progress &+= 1
      }
      return next
    }
  }

  // MARK: Verification

  /// Lets the main actor and the global executor run one further job each, and then goes on.
  private func verify() {
    // Where all jobs are seen, this is done once for a task from outside. A thread with a job of a task that it has made
    // may have to wait for a processor meanwhile.
    verify(since: state.withLock { $0.progress }, rounds: Executors.seeAllJobs ? 300 : 8)
  }

  /// Repeats this for tasks that go to and fro between the two.
  private func verify(since progress: UInt64, rounds: Int) {
    DispatchQueue.main.async {
      Task.detached {
        let isQuiet = self.state.withLock { $0.progress == progress && !$0.isAtWork }
        if isQuiet, rounds > 1 { return self.verify(since: progress, rounds: rounds - 1) }
        let worker = self.state.withLock { state -> UInt64? in
          if isQuiet { state.verifiedProgress = progress }
          return state.startWork()
        }
        if let worker { self.start(worker) }
      }
    }
  }
}

extension World.State {
  /// Notes that there is something new to do. Returns the number of the worker to start, if none is at work.
  mutating func noteProgress() -> UInt64? {
    progress &+= 1
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
    let work: ReadyWork?
    if var order = order.take() {
      work = ready.pop(by: &order)
      self.order = order
    } else {
      work = ready.popFirst()
    }
    guard let work else { return nil }
    progress &+= 1
    current = World.Current(member: work.member, isOnMainThread: work.lane == ReadyWork.mainLane)
    return work
  }

  /// Takes the next work if it is a job of the main actor.
  mutating func takeMainJob(for worker: UInt64) -> ReadyWork? {
    guard self.worker == worker, order == nil, ready.isMainJobFirst else { return nil }
    return takeWork()
  }

  /// What is to be done when no work is ready.
  fileprivate var rest: World.Next {
    mutating get {
      let move = nextMove
      watch.restless = .zero
      guard move != nil || body != nil else { return .stop }
      if hasUnseenJobs, verifiedProgress != progress { return .verification }
      hasUnseenJobs = !Executors.seeAllJobs
      if let move {
        let waits =
          busyCount > 0 && move.clock.settlingTimeout > .zero && !move.isCancelled.load(ordering: .relaxed)
        return waits ? .stop : .rest(move)
      }
      guard let body, busyCount == 0, body.idleProgress != progress else { return .stop }
      return .automaticRest(body)
    }
  }

  /// The move to make next. The moves of a clock take turns. Of several clocks, that one is moved which was asked last,
  /// as a task that another move waits for may have asked.
  var nextMove: ClockMove? {
    guard let last = moves.last else { return nil }
    return moves.first { $0.clock === last.clock }
  }
}
