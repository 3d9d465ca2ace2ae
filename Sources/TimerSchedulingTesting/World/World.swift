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
/// task which enqueues it, if the task is younger than that world and has had no job outside of worlds.
///
/// A job of the main actor runs on the main thread. Jobs of an executor that the process has made itself, like that of
/// an event loop, run beside the world.
///
/// A *worker* runs the jobs, on a thread that it has while there is work.
final class World: Sendable {
  /// The task and the thread of the work under way.
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
    /// The number of pieces of work added and begun, and of steps in time.
    var progress: UInt64 = 0
    /// The progress after which the main actor and the global executor have each run a job. See ``Executors``.
    var verifiedProgress: UInt64?
    /// Whether there may be jobs that the world hasn't seen.
    var hasUnseenJobs = !Executors.seeAllJobs

    /// The groups with participants.
    var groups: [ObjectIdentifier: Group] = [:]
    /// The number of groups that the clock has to wait for.
    var busyCount = 0
    /// The number of members that wait for a clock.
    var waitingCount = 0
    /// The number of clocks that tests hold.
    var heldClockCount = 0

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
  private let youngestAtStart = Atomic<UInt64>(0)
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
    isExploring = order != nil
    isOrdered = order == nil || order?.number == 0
    state = WorldLock(State(order: order))
  }

  // MARK: Beginning and end

  private static let openCount = Atomic<Int>(0)
  /// The highest number of a task whose job was enqueued.
  private static let youngestTask = Atomic<UInt64>(0)
  /// Guards the tasks that have had jobs outside of worlds while one was open, and the beginning and end of worlds. No
  /// other lock is taken while it is held.
  private static let strangers = WorldLock(TaskSet())

  /// Notes that it has one more clock. The first begins the world, also anew after the last one has ended it.
  func clockBegins() {
    guard clockCount.add(1, ordering: .acquiringAndReleasing).newValue == 1 else { return }
    isOver.store(false, ordering: .relaxed)
    Self.strangers.withLock { _ in _ = Self.openCount.add(1, ordering: .sequentiallyConsistent) }
    // A task that begins meanwhile either counts here or sees an open world, and then is a stranger.
    let youngest = Self.youngestTask.load(ordering: .sequentiallyConsistent)
    youngestAtStart.store(max(ConcurrencyRuntime.currentTask, youngest), ordering: .relaxed)
    Watchdog.shared.add(self)
  }

  /// Notes that one of its clocks is gone, with all that uses it. The last one ends the world: from now on its tasks
  /// are like any others.
  func clockEnded() {
    guard clockCount.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    isOver.store(true, ordering: .relaxed)
    Self.strangers.withLock { strangers in
      // Worlds that begin later know from their beginning that these tasks are older.
      if Self.openCount.subtract(1, ordering: .relaxed).newValue == 0 { strangers = TaskSet() }
    }
    Members.removeAll(of: self)
    Watchdog.shared.remove(self)
  }

  // MARK: Taking jobs

  /// Notes that there is a task. Worlds that begin later know that it is older, with all that were made before it.
  static func noteTask(_ task: UInt64) {
    if task > youngestTask.load(ordering: .relaxed) {
      _ = youngestTask.max(task, ordering: .sequentiallyConsistent)
    }
  }

  /// Takes a job that is about to be enqueued on the global executor or, with `isMain`, on that of the main actor.
  /// Returns false if it belongs to no world.
  static func take(_ job: UnownedJob, isMain: Bool = false) -> Bool {
    let task = ConcurrencyRuntime.task(of: job)
    noteTask(task)
    guard openCount.load(ordering: .sequentiallyConsistent) > 0 else { return false }
    if let member = Members.member(task) {
      return member.world.takes(ReadyWork(job, isMain: isMain, member: member))
    }
    guard let (world, maker) = here else {
      strangers.withLock { $0.insert(task) }
      return false
    }
    if world.isStranger(task) { return false }
    let member = task == 0 ? nil : world.join(task, madeBy: maker)
    return world.takes(ReadyWork(job, isMain: isMain, member: member))
  }

  /// The world to which code belongs that runs now, and the member whose code it is or by whose job it was begun.
  ///
  /// An actor that a world's task has left may go on, in a job of the world, with a task that is none of its.
  static var here: (world: World, member: Member?)? {
    let thread = WorldThread.current
    if let thread, thread.isOnlyMaking { return (thread.world, nil) }
    let task = ConcurrencyRuntime.currentTask
    if let member = Members.member(task) { return (member.world, member) }
    guard let thread, !thread.world.isStranger(task) else { return nil }
    return (thread.world, thread.member)
  }

  /// Whether a task that isn't a member is older than the world or has had a job outside of worlds.
  private func isStranger(_ task: UInt64) -> Bool {
    task != 0
      && (task <= youngestAtStart.load(ordering: .relaxed) || Self.strangers.withLock { $0.contains(task) })
  }

  /// Adds work, unless the world has ended.
  private func takes(_ work: ReadyWork) -> Bool {
    if isOver.load(ordering: .relaxed) { return false }
    add(work)
    return true
  }

  /// Takes a job that is about to be enqueued after a delay, if the calling task's sleeps are virtual.
  static func sleep(_ job: UnownedJob, for delay: Duration) -> Bool {
    guard openCount.load(ordering: .relaxed) > 0, let world = here?.world, world.sleepsAreVirtual,
      let body = world.state.withLock({ $0.body })
    else { return false }
    body.sleep(job, for: delay, sinceJobBegan: WorldThread.current?.jobBegan.map { .now - $0 } ?? .zero)
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
}

/// A set of tasks. As the runtime numbers tasks one after the other, a bit is enough for each.
private struct TaskSet {
  private var bits: [UInt64: UInt64] = [:]

  mutating func insert(_ task: UInt64) { bits[task / 64, default: 0] |= 1 << (task % 64) }

  func contains(_ task: UInt64) -> Bool { bits[task / 64, default: 0] & 1 << (task % 64) != 0 }
}
