import Dispatch
import Synchronization
import TimerScheduling

/// The tasks of a test, and the executor of their jobs.
///
/// One job runs at a time, in the order in which they became ready. So a test has the same course in every run, and the
/// world knows when it is *at rest*: no job is ready or under way. Only then is a clock of the world moved.
///
/// Members are the task that has made the world's clock, the body of `withVirtualClock`, runs of actions, added tasks,
/// every task that a member makes, and any other from its first wait for the clock. A job belongs to the world of its
/// task. A task that isn't known belongs to the world that runs on the thread which enqueues its job, or to that of the
/// task which enqueues it, if the task is younger than that world.
///
/// A job of the main actor runs on the main thread. Jobs of an executor that the process has made itself, like that of
/// an event loop, run beside the world.
///
/// A *worker* runs the jobs, on a thread that it has while there is work.
final class World: Sendable {
  /// What is known of the work under way.
  struct Current {
    let member: Member?
    let isOnMainThread: Bool
  }

  struct State: ~Copyable {
    var ready = ReadyQueue()
    /// The queue of the worker. A queue of its own gets a thread even if those of the global executor are blocked.
    var queue = DispatchQueue(label: "VirtualClock")
    /// The number of the present worker. One with a lower number stops.
    var worker: UInt64 = 0
    var isAtWork = false
    /// The work under way.
    var current: Current?
    /// Whether the worker is to treat the world as at rest once, though work is ready.
    var isRestForced = false
    /// The number of pieces of work added and begun.
    var progress: UInt64 = 0
    /// The progress after which the main actor and the global executor have each run a job. See ``Executors``.
    var verifiedProgress: UInt64?

    /// The tasks added to the clocks of the world, and the body.
    let added: Group
    /// The groups with participants.
    var groups: [ObjectIdentifier: Group] = [:]
    /// The number of groups that the clock has to wait for.
    var busyCount = 0
    /// The number of members that wait for a clock.
    var waitingCount = 0
    /// The number of clocks that tests hold.
    var heldClockCount = 0
    /// Whether time moves by itself, until the end of a body.
    let isAutomatic: Bool

    var moves: [ClockMove] = []
    /// The body of `withVirtualClock`, by which time moves.
    var body: VirtualBody?
    /// The order of jobs, if it isn't that in which they became ready.
    var order: JobOrder?

    var watch = WorldWatch()
  }

  /// Guards the work, the members' states and the moves. No other lock is taken while it is held.
  let state: WorldLock<State>
  /// The tasks added to the clocks of the world, and the body.
  let added = Group()
  /// The number of the youngest task at the beginning of the world.
  private let youngestAtStart: UInt64
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  private let clockCount = Atomic<Int>(0)
  /// Whether it has no clock.
  private let isOver = Atomic<Bool>(true)

  /// Whether the sleeps of Swift's own clocks are virtual.
  let sleepsAreVirtual: Bool

  /// Whether orders of jobs are explored.
  let isExploring: Bool
  /// Whether jobs run in the order in which they became ready.
  let isOrdered: Bool

  init(
    settlingTimeout: Duration, sleepsAreVirtual: Bool = false, order: JobOrder? = nil,
    report: @escaping @Sendable (String) -> Void
  ) {
    Executors.installed
    self.settlingTimeout = settlingTimeout
    self.report = report
    self.sleepsAreVirtual = sleepsAreVirtual
    youngestAtStart = max(ConcurrencyRuntime.currentTask, Self.youngestTask.load(ordering: .relaxed))
    isExploring = order != nil
    isOrdered = order == nil || order?.number == 0
    state = WorldLock(State(added: added, isAutomatic: sleepsAreVirtual, order: order))
  }

  // MARK: Beginning and end

  private static let openCount = Atomic<Int>(0)
  /// The highest number of a task whose job was enqueued.
  private static let youngestTask = Atomic<UInt64>(0)

  /// Notes that it has one more clock. The first begins the world, also anew after the last one has ended it.
  func clockBegins() {
    guard clockCount.add(1, ordering: .acquiringAndReleasing).newValue == 1 else { return }
    isOver.store(false, ordering: .relaxed)
    Self.openCount.add(1, ordering: .relaxed)
    Watchdog.shared.add(self)
  }

  /// Notes that one of its clocks is gone, with all that uses it. The last one ends the world: from now on its tasks
  /// are like any others.
  func clockEnded() {
    guard clockCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    isOver.store(true, ordering: .relaxed)
    Self.openCount.subtract(1, ordering: .relaxed)
    Members.removeAll(of: self)
    Watchdog.shared.remove(self)
  }

  // MARK: Taking jobs

  /// Takes a job that is about to be enqueued on the global executor or, with `isMain`, on that of the main actor.
  /// Returns false if it belongs to no world.
  static func take(_ job: UnownedJob, isMain: Bool = false) -> Bool {
    guard openCount.load(ordering: .relaxed) > 0 else { return false }
    let task = ConcurrencyRuntime.task(of: job)
    if task > youngestTask.load(ordering: .relaxed) { _ = youngestTask.max(task, ordering: .relaxed) }
    if let member = Members.member(task) {
      return member.world.takes(ReadyWork(job, isMain: isMain, member: member))
    }
    let thread = WorldThread.current
    let isOnlyMaking = thread?.isOnlyMaking == true
    let maker = isOnlyMaking ? nil : Members.member(ConcurrencyRuntime.currentTask) ?? thread?.member
    guard let world = maker?.world ?? thread?.world else { return false }
    if task != 0, task <= world.youngestAtStart { return false }
    let member = task == 0 ? nil : world.join(task, madeBy: maker)
    return world.takes(ReadyWork(job, isMain: isMain, member: member))
  }

  /// Adds work, unless the world has ended.
  private func takes(_ work: ReadyWork) -> Bool {
    if isOver.load(ordering: .relaxed) { return false }
    add(work)
    return true
  }

  /// Takes a job that is about to be enqueued after a delay, if the calling task's sleeps are virtual.
  static func sleep(_ job: UnownedJob, for delay: Duration) -> Bool {
    let thread = WorldThread.current
    guard openCount.load(ordering: .relaxed) > 0,
      let world = thread?.world ?? Members.member(ConcurrencyRuntime.currentTask)?.world,
      world.sleepsAreVirtual,
      let body = world.state.withLock({ $0.body })
    else { return false }
    body.sleep(job, for: delay, sinceJobBegan: thread?.jobBegan.map { .now - $0 } ?? .zero)
    return true
  }

  func add(_ work: ReadyWork) {
    // The clock of a wait that is over isn't released under the lock.
    let (worker, clock, sleep) = state.withLock { state in
      state.ready.append(work)
      let clock = work.member.flatMap { state.hasJob($0) }
      return (state.noteProgress(), clock, work.member?.sleep.take())
    }
    if let worker { start(worker) }
    // A sleep of Swift's clocks that was cancelled is over. Its job still has to run.
    if let clock, let sleep { clock.removeSleep(sleep)?() }
  }

  /// Has the worker look again at what is to be done.
  func wake() {
    if let worker = state.withLock({ $0.noteProgress() }) { start(worker) }
  }

  // MARK: Working

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
        case .automaticRest(let body): body.step(in: self)
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
      // What is delivered now has jobs that may not be seen.
      case .work, .rest, .automaticRest: state.verifiedProgress = nil
      }
      return next
    }
  }

  // MARK: Verification

  /// Lets the main actor and the global executor run one further job each, and then goes on.
  private func verify() {
    verify(since: state.withLock { $0.progress }, rounds: 8)
  }

  /// Repeats this for tasks that go to and fro between the two.
  private func verify(since progress: UInt64, rounds: Int) {
    DispatchQueue.main.async {
      DispatchQueue.global().async {
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
      if !Executors.seeAllJobs, verifiedProgress != progress { return .verification }
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

/// The world whose work a thread does, stored on the thread's stack.
struct WorldThread {
  let world: World
  /// Whether the thread works for no world, but makes tasks of this one.
  var isOnlyMaking = false
  /// The task whose job runs.
  private(set) var member: Member?
  /// When the job has begun, if the sleeps of Swift's own clocks are virtual.
  private(set) var jobBegan: ContinuousClock.Instant?

  mutating func begin(_ work: ReadyWork, isTimed: Bool) {
    member = work.member
    jobBegan = isTimed ? .now : nil
  }

  mutating func end() { member = nil }

  private static let pointer = ThreadPointer()

  static var current: WorldThread? {
    unsafe pointer.value.map { unsafe $0.assumingMemoryBound(to: WorldThread.self).pointee }
  }

  /// Calls `body`, which makes tasks of `world`.
  static func with<Result>(_ world: World, _ body: () -> Result) -> Result {
    unsafe with(world) { (thread: UnsafeMutablePointer<WorldThread>) in
      unsafe thread.pointee.isOnlyMaking = true
      return body()
    }
  }

  /// Calls `body` on a thread that works for `world`.
  static func with<Result>(_ world: World, _ body: (UnsafeMutablePointer<WorldThread>) -> Result) -> Result {
    var thread = WorldThread(world: world)
    return unsafe withUnsafeMutablePointer(to: &thread) { thread in
      let outer = unsafe pointer.value
      unsafe pointer.value = UnsafeMutableRawPointer(thread)
      defer { unsafe pointer.value = outer }
      return unsafe body(thread)
    }
  }
}
