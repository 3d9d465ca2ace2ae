import Synchronization

/// Owns any number of timers over a single dispatch timer, and exposes them as streams of tick dates.
///
/// ```swift
/// let scheduler = TimerScheduler()
/// for await date in scheduler.ticks(every: 1) {
///   await metrics.flush(at: date)
/// }
/// ```
///
/// Timers are made by synchronous calls, from anywhere. A timer keeps its scheduler alive for as long as
/// it lives itself; a scheduler without timers and without references is released. While no timer is due,
/// a scheduler doesn't wake the process, but to look whether owners live: once in ``Configuration/ownerCheckInterval``,
/// where there are any other than a ``TimerOwner``.
///
/// The actor runs on the serial queue on which its dispatch timer fires. (Timers on the wall clock have a
/// second one, made for the first of them.) It keeps the registry and the deadlines, and fires the timers.
/// Whether there is a tick each timer decides by itself, so to control one needn't be awaited.
///
/// One scheduler serves a process, with any number of timers. An idle one takes 2 kB, one with its first timer 5 kB, and
/// one whose timers have fired up to 25 kB. Each scheduler has a serial queue, which takes a thread of its own while it
/// works, so a thousand busy schedulers can hold hundreds of threads.
public actor TimerScheduler {
  /// A scheduler for everybody, which lives as long as the process.
  public static let shared = TimerScheduler(
    configuration: Configuration(), clock: SystemClock(), jitterSeed: .random(in: 0 ... .max), isShared: true)

  static let lastID = Atomic<UInt64>(0)

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  nonisolated let defaultTolerance: Interval
  nonisolated let jitterSeed: UInt64
  nonisolated let jitteredCount = Atomic<UInt64>(0)
  nonisolated let inbox: Inbox
  nonisolated let names = NameTable()
  nonisolated let owners = OwnerTable()
  nonisolated let monitor: (any ConsumerMonitor)?
  nonisolated let tasks: TaskTracker
  nonisolated let isShared: Bool
  nonisolated let shutdownLatch: ShutdownLatch
  nonisolated let observation: TimerObservation
  nonisolated let interceptor: ActionInterceptor?
  /// The object that timers hold in place of the scheduler, on a clock that holds schedulers.
  nonisolated let looseKeeper: LooseKeeper?

  let registry = TimerRegistry()
  let monotonicLane = DeadlineLane(on: .monotonic)
  let wallLane = DeadlineLane(on: .wall)
  /// When the wall clock was farthest ahead of the monotonic one, since it was last found set back.
  var latestWallClock: ClockReading?
  let ownerCheckInterval: Interval
  /// When to look for owners that are gone. Nil while there is none to look for.
  var nextOwnerCheck: Deadline?
  var deferredRelease = DeferredRelease()
  var latenesses = LatenessHistogram()
  /// Whether the clock holds the scheduler.
  var isHeld = false
  var wakeupCount = 0

  /// Creates a scheduler without timers.
  ///
  /// - Precondition: The configuration's tolerance isn't negative, and its owner check interval is greater
  ///   than zero.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, clock: SystemClock(), jitterSeed: .random(in: 0 ... .max))
  }

  /// Creates a scheduler on a clock of the caller's.
  package init(
    configuration: Configuration, clock: any SchedulerClock, jitterSeed: UInt64, isShared: Bool = false
  ) {
    precondition(
      configuration.tolerance >= .zero,
      "A scheduler's tolerance must be zero or more, but \(configuration.tolerance) was given.")
    precondition(
      configuration.ownerCheckInterval > .zero,
      """
      A scheduler's owner check interval must be greater than zero, but \
      \(configuration.ownerCheckInterval) was given.
      """)
    executor = clock.makeExecutor(label: configuration.label)
    self.clock = clock
    inbox = Inbox(patience: clock.patience)
    monitor = clock.monitor
    tasks = TaskTracker(noting: clock.monitor)
    shutdownLatch = ShutdownLatch(noting: clock.monitor)
    observation = TimerObservation(
      for: configuration.observer, label: configuration.label + ".observer", noting: clock.monitor)
    interceptor = configuration.interceptor
    looseKeeper = clock.holder.map { [observation, interceptor, tasks] holder in
      LooseKeeper(
        clock: clock, holder: holder, observation: observation, interceptor: interceptor, tasks: tasks)
    }
    defaultTolerance = Interval(configuration.tolerance)
    ownerCheckInterval = Interval(configuration.ownerCheckInterval)
    self.jitterSeed = jitterSeed
    self.isShared = isShared
    looseKeeper?.attach(self)
  }

  /// The serial queue on which the scheduler's dispatch timer fires.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

extension TimerScheduler {
  /// How many timers are registered.
  package var timerCount: Int {
    lookAtPosted()
    return recordCount
  }

  /// How many deadlines are filed.
  package var filedCount: Int {
    lookAtPosted()
    return monotonicLane.count + wallLane.count
  }

  /// How many names are taken.
  package nonisolated var nameCount: Int { names.count }

  /// Waits until no action is running.
  package nonisolated func waitUntilActionsHaveEnded() async {
    await tasks.waitUntilQuiet()
  }

  /// The number of runs of actions that are under way.
  package nonisolated var runningCount: Int { tasks.runningCount }

  /// Whether any live timer has an owner.
  package nonisolated var hasOwners: Bool { !owners.isEmpty }
}
