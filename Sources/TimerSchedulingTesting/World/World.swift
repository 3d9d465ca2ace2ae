import Dispatch
import Synchronization
import TimerScheduling

/// The tasks of a test, and the executor of their jobs.
///
/// One job runs at a time, in the order in which they became ready. So a test has the same course in every
/// run, and the world knows when it is *at rest*: no job is ready or under way. Only then is a clock of the
/// world moved.
///
/// The tasks of a world are its *members*. ``membership(of:)`` says which they are. A job belongs to the
/// world of its task. The body of `withVirtualClock`, runs of actions and added tasks are *participants*:
/// time moves only while each of them waits for something that time may bring. ``State/hold(_:)`` has the
/// rules.
///
/// A job of the main actor runs on the main thread. Jobs of an executor that the process has made itself,
/// like that of an event loop, run beside the world, which asks the runtime what their tasks do.
///
/// A *worker* runs the jobs, on a thread that it has while there is work.
final class World: Sendable {
  /// The work under way.
  struct Current {
    let member: Member?
    /// Whether it needs the main thread, and has it.
    var isForMainThread: Bool
    var hasBegun: Bool
    /// Whether it resumes a task that yields, which still has to go on.
    var isResumption = false
  }

  struct State: ~Copyable {
    var ready = ReadyQueue()
    /// The queue of the worker. A queue of its own gets a thread even if those of the global executor are
    /// blocked.
    var queue = DispatchQueue(label: "VirtualClock")
    /// The number of the present worker. One with a lower number stops.
    var worker: UInt64 = 0
    var isAtWork = false
    /// The work under way.
    var current: Current?
    /// The number of pieces of work added and begun, and of steps in time.
    var progress: UInt64 = 0
    /// The progress after which the main actor and the global executor have each run a job. See
    /// ``Executors``.
    var verifiedProgress: UInt64?
    /// Whether there may be jobs that the world hasn't seen.
    var hasUnseenJobs = !Executors.seeAllJobs
    var moment = Moment()
    /// The participant that has gone on last. Its member may hold a result of the user's.
    var lastParticipant: Member.Participant?

    /// The participants, by the addresses of their tasks.
    var participants: [UInt: Member] = [:]
    /// The members of whom the runtime must be asked what they do.
    var unsettled: [Member] = []
    /// The number of members that wait for a clock.
    var waitingCount = 0
    /// The number of calls during which time doesn't move.
    var holdCount = 0
    /// The number of looks in a row that have found a member under way elsewhere.
    var pollCount = 0

    /// The clocks of the world. None is held.
    var clocks: [ClockReference] = []
    /// The number of clocks that tests hold.
    var heldClockCount = 0
    var moves: [ClockMove] = []
    /// The body of `withVirtualClock`, by which time moves.
    var body: VirtualBody?
    /// The order of jobs, if orders are explored.
    var order: JobOrder?
    /// The number of threads with a job of an actor, of which the next task waits until it is chosen.
    var turnCount = 0
    /// Whether a task that is resumed comes from its sleep.
    var endsSleep = false

    var watch = Watch()
  }

  /// What was done since time last moved, and since the body last went on.
  struct Moment {
    /// The number of jobs of tasks that did more than to yield.
    var jobCount = 0
    /// The number of jobs in a row of tasks that only yield.
    var yieldCount = 0
    /// The greatest number of pieces of work that were ready.
    var width = 0

    /// Whether so much was done that the moment probably never ends.
    var isEndless: Bool { jobCount > 100_000 + 16 * width }
  }

  /// Guards the work, the members' states and the moves. The lock of some members may be taken while it is
  /// held.
  let state: WorldLock<State>
  /// The number of jobs that are about to be added. A thread that waits for the lock has resumed a task.
  let arrivingCount = Atomic<Int>(0)
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  /// Whether its clocks are gone, or its body has ended.
  private let over = Atomic<Bool>(false)
  var isOver: Bool { over.load(ordering: .relaxed) }

  /// Whether Swift's own clocks are virtual.
  let isOfBody: Bool
  /// The time that Swift's own clocks show. Set once, before a task of the world begins. Nil if that is real.
  @safe nonisolated(unsafe) var shownTime: ShownTime?

  /// Whether orders of jobs are explored.
  let isExploring: Bool

  init(
    settlingTimeout: Duration, isOfBody: Bool = false, order: JobOrder? = nil,
    report: @escaping @Sendable (String) -> Void
  ) {
    Executors.installed
    self.settlingTimeout = settlingTimeout
    self.report = report
    self.isOfBody = isOfBody
    isExploring = order != nil
    state = WorldLock(State(order: order))
    Self.openCount.add(1, ordering: .sequentiallyConsistent)
    if isOfBody { Self.bodyCount.add(1, ordering: .sequentiallyConsistent) }
    Watchdog.shared.add(self)
  }

  private static let openCount = Atomic<Int>(0)
  private static let bodyCount = Atomic<Int>(0)
  static var hasOpen: Bool { openCount.load(ordering: .relaxed) > 0 }
  static var hasBody: Bool { bodyCount.load(ordering: .relaxed) > 0 }

  // MARK: Beginning and end

  func clockBegins(_ clock: VirtualClockCore) {
    state.withLock { state in
      state.heldClockCount += 1
      state.clocks.append(ClockReference(clock))
    }
  }

  /// Notes that a test has dropped a clock. The last one ends the world.
  func clockEnded(_ clock: VirtualClockCore) {
    let isLast = state.withLock { state in
      state.heldClockCount -= 1
      return state.heldClockCount == 0 && state.body == nil
    }
    clock.end()
    if isLast { end() }
  }

  /// Ends the world: from now on its tasks are like any others, in real time. What waits for one of its
  /// clocks goes on.
  func end() {
    guard !over.exchange(true, ordering: .acquiringAndReleasing) else { return }
    Self.openCount.subtract(1, ordering: .relaxed)
    if isOfBody { Self.bodyCount.subtract(1, ordering: .relaxed) }
    Watchdog.shared.remove(self)
    let members = Members.members(of: self)
    for member in members { Members.remove(member) }
    // The members' waits and results are released outside the lock.
    let (left, body, clocks, moves, expectations) = state.withLock { state in
      var left: [(Member, VirtualClockCore?)] = []
      for member in members + state.unsettled {
        member.isGone = true
        left.append((member, member.wait?.clock))
        (member.wait, member.participant) = (nil, nil)
      }
      (state.unsettled, state.participants, state.waitingCount) = ([], [:], 0)
      let ended = (left, state.body.take(), state.clocks, state.moves, Array(state.watch.expectations.values))
      (state.clocks, state.moves, state.watch.expectations) = ([], [], [:])
      return ended
    }
    for clock in clocks { clock.core?.end() }
    for move in moves { end(move) }
    for expectation in expectations { expectation.end() }
    withExtendedLifetime((left, body)) {}
    // The worker may be blocked for ever, and what is ready is to go on.
    if WorldThread.current?.world !== self, state.withLock({ $0.isAtWork }) { replaceWorker() }
  }

  // MARK: Work

  /// Adds work. A job ends the wait of its task.
  func add(_ work: ReadyWork) {
    arrivingCount.add(1, ordering: .sequentiallyConsistent)
    defer { arrivingCount.subtract(1, ordering: .sequentiallyConsistent) }
    let from = WorldThread.current
    // One that is resumed from outside may have waited for the outside.
    let isByItself = work.member != nil && from?.member === work.member
    let isFromOutside = from?.world !== self && Self.maker?.world !== self
    // The wait's clock and sleep are released outside the lock.
    let (worker, wait, sleep) = state.withLock { state in
      var ended = (VirtualClockCore?.none, Member.Sleep?.none)
      if let member = work.member {
        if isFromOutside {
          // Elsewhere, a task of the world may have resumed it, and this is its way back.
          if member.place != .elsewhere { member.noteResumption() }
          state.order?.isWhole = false
        }
        ended = (state.endWait(of: member), member.sleep.take())
        (member.passedWait, member.passed) = (nil, nil)
        member.isReady = true
        if work.isYield { member.yieldCount += 1 } else if !isByItself { member.yieldCount = 0 }
      }
      if !isByItself { from?.member?.yieldCount = 0 }
      var work = work
      work.onlyYields = work.member?.onlyYields == true
      // Others always go first from now on, and time moves past it.
      if work.onlyYields { state.order?.isWhole = false }
      if state.endsSleep { work.rank = .sleep }
      state.order?.prepare(&work)
      state.ready.append(work)
      return (state.noteProgress(), ended.0, ended.1)
    }
    if let worker { start(worker) }
    withExtendedLifetime(wait) {}
    // A sleep of Swift's clocks that was cancelled is over. Its job still has to run.
    if let sleep { sleep.clock.removeSleep(sleep.key)?(nil) }
  }

  /// Has the worker look again at what is to be done.
  func wake() {
    if let worker = state.withLock({ $0.noteProgress() }) { start(worker) }
  }

  /// Keeps time from moving until `release` is called.
  func hold() { state.withLock { $0.holdCount += 1 } }

  func release() {
    let worker = state.withLock { state in
      state.holdCount -= 1
      return state.noteProgress()
    }
    if let worker { start(worker) }
  }
}

/// A weak reference to a clock.
final class ClockReference: Sendable {
  weak let core: VirtualClockCore?

  init(_ core: VirtualClockCore) { self.core = core }
}
