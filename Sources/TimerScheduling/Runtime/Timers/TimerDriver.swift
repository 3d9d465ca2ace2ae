import Synchronization
import TimerSchedulingFoundation

/// Fires a scheduler's timers when they are due, on a serial queue of its own, and has what they share: the
/// clock, the deadlines, names, owners and counters.
///
/// When a deadline has come, the driver makes a *pass*: it takes the due timers out of the queue, fires each,
/// and arms the next wakeup. A round of a pass over all parts of the queue is a *look*.
///
/// **No deadline is missed.** Two kinds of moments decide when the driver looks next, each kept for both
/// clocks. `first` of each part of the queue is never later than the moment by which any timer filed there
/// must fire. ``nextLook`` isn't earlier than the armed wakeup, unless a look is certain to follow: then it
/// is the beginning of time.
///
/// - A thread that files a timer at a moment before `first` stores that moment there, under the part's lock,
///   and then reads `nextLook`. If its moment is earlier, it schedules a pass.
/// - A pass stores the beginning of time in `nextLook`, visits each part under its lock, and stores in
///   `first` the first moment that is left. Then it stores the earliest of all in `nextLook`, and reads each
///   `first` again. If one has become lower, the pass looks once more.
///
/// Both store one number before they read the other, and all four accesses are sequentially consistent. So at
/// least one sees the other's store: the thread schedules a pass, or the pass looks again.
///
/// A thread that schedules a pass replaces `nextLook` by the beginning of time, in one atomic step. So of
/// many threads only one posts a block to the queue.
package actor TimerDriver {
  private typealias Release = (values: TimerEffects.HeldValues, timer: TimerEntry?)

  static let lastNumber = Atomic<UInt64>(0)
  private static let sharedRunners = RunnerPool<TimerEntry>(
    label: "TimerRunners", width: ProcessInfo.processInfo.activeProcessorCount)
  static var sharedThreads: (waitingRunCount: Int, blockedCount: Int) { sharedRunners.load }

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  /// What a virtual clock does for its schedulers. Nil in real time.
  let virtual: (any VirtualSchedulers)?
  let defaultTolerance: Interval
  package nonisolated let ownerCheckInterval: Interval
  let jitterSeed: UInt64
  let jitteredCount = Atomic<UInt64>(0)
  let deadlines: DeadlineQueue<FiledEntry>
  let nextLook = AtomicMoments()
  let isDisarmPosted = Atomic<Bool>(false)
  let waitCount = Atomic<Int>(0)
  let names = NameTable()
  let owners = OwnerTable()
  /// Whether a pass has seen that there are owners to check.
  let checksOwners = Atomic<Bool>(false)
  let runs: RunTracker
  /// Guards the values to be released off the queue: those that a pass may hold, and those that none holds.
  private let releases = Lock((held: [Release](), ready: [Release]()))
  let hasShutDown = Atomic<Bool>(false)
  let shutdownWaiters: Waiters<Void>
  let closings = Lock(ShutdownClosings())
  let isAbandoned = Atomic<Bool>(false)
  let observation: TimerObservation
  package nonisolated let isObserved: Bool
  package nonisolated let printsFailures: Bool
  let interceptor: ActionInterceptor?
  let wallClock: WallClockWatch
  /// The functions that a pass has called, one after the other, if it finds that the wall clock was set.
  let clockNotices = Lock<[(owner: ObjectIdentifier, perform: @Sendable () -> Void)]>([])
  /// Guards the timers whose rules a task is about to ask, as the wall clock was set back.
  let unasked = Lock<[TimerEntry]>([])
  /// Performs the runs of actions that aren't bound to an actor, or only to their owner. Nil under virtual
  /// time, where each run has a task of its own.
  let runners: RunnerPool<TimerEntry>?

  // The rest is used on the queue only.

  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  var hasClosed = false
  /// The timers that have yet to follow the wall clock, which was set.
  var followers: [TimerEntry] = []
  /// The time of the next check for owners that are gone. Nil if there is no owner to check.
  var nextOwnerCheck: Deadline?
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(
    label: String, defaultTolerance: Interval, ownerCheckInterval: Interval, observer: (any TimerObserver)?,
    printsFailures: Bool, interceptor: ActionInterceptor?, clock: any SchedulerClock, jitterSeed: UInt64,
    hasOwnThreads: Bool = false
  ) {
    let virtual = clock.virtual
    func makeExecutor(label: String) -> QueueExecutor {
      virtual?.makeExecutor(label: label) ?? QueueExecutor(label: label)
    }
    executor = makeExecutor(label: label)
    self.clock = clock
    deadlines = DeadlineQueue { $0 == .monotonic ? clock.readMonotonic() : clock.read().wall }
    self.virtual = virtual
    runs = RunTracker(in: virtual)
    shutdownWaiters = Waiters(in: virtual)
    observation = TimerObservation(
      feed: observer.map {
        EventFeed(to: $0, on: makeExecutor(label: label + ".observer"), in: virtual)
      })
    isObserved = observer != nil
    wallClock = WallClockWatch(noticeDelay: clock.noticeDelay, isWatched: clock.virtual != nil)
    self.printsFailures = printsFailures
    self.interceptor = interceptor
    runners =
      if virtual != nil { nil } else if hasOwnThreads { RunnerPool(label: label, width: 1) } else {
        Self.sharedRunners
      }
    self.defaultTolerance = defaultTolerance
    self.ownerCheckInterval = ownerCheckInterval
    self.jitterSeed = jitterSeed
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  var statistics: TimerStatistics {
    let paused = observation.paused.load(ordering: .relaxed)
    return TimerStatistics(
      activeCount: max(timerCount - paused, 0), pausedCount: paused,
      runningCount: runs.runningCount, tickCount: observation.ticks.load(ordering: .relaxed),
      missedCount: observation.missed.load(ordering: .relaxed),
      failureCount: observation.failures.load(ordering: .relaxed), wakeupCount: wakeupCount,
      droppedEventCount: observation.feed?.droppedCount ?? 0,
      lateness: TimerStatistics.Lateness(latenesses))
  }

  /// Has `owner` told when the wall clock was set, or with nil no more. In real time only a scheduler with
  /// dates is told.
  package nonisolated func onClockSet(of owner: ObjectIdentifier, _ notice: (@Sendable () -> Void)?) {
    let old = clockNotices.withLock { notices in
      let old = notices
      notices.removeAll { $0.owner == owner }
      if let notice { notices.append((owner, notice)) }
      return old
    }
    withExtendedLifetime(old) {}
  }

  nonisolated func performOffQueue(_ work: @escaping @Sendable () -> Void) {
    runs.beginWork()
    let perform: @concurrent @Sendable () async -> Void = { [runs] in
      work()
      runs.endWork()
    }
    _ = virtual?.make { Task(operation: perform) } ?? Task.detached(operation: perform)
  }

  /// Releases values off the queue, once no pass holds them. Called on the queue.
  ///
  /// Releasing a value can run a `deinit`, and cancelling a task can run its handlers; neither may happen on
  /// the queue. When a later block of the queue runs, no pass holds one of the values. A task then takes them
  /// out of the driver, so no thread of the queue can have the last reference.
  nonisolated func releaseOffQueue(_ values: TimerEffects.HeldValues, of timer: TimerEntry? = nil) {
    let isFirst = releases.withLock { releases in
      releases.held.append((values, timer))
      return releases.held.count == 1
    }
    guard isFirst else { return }
    runs.beginWork()
    executor.async { [self] in
      releases.withLock { releases in
        releases.ready += releases.held
        releases.held = []
      }
      performOffQueue { [self] in releaseReady() }
      runs.endWork()
    }
  }

  /// Cancels tasks, releases all values, and notifies the timers.
  private nonisolated func releaseReady() {
    var ready = releases.withLock { releases in
      defer { releases.ready = [] }
      return releases.ready
    }
    for index in ready.indices {
      ready[index].values.release()
      ready[index].timer?.valuesReleased()
    }
  }

  /// Releases an error, which the caller drops. On the queue, a pass may have had the last reference to its
  /// timer, and so it is released off the queue.
  nonisolated func release(_ error: any Error) {
    if executor.isCurrent {
      releaseOffQueue(TimerEffects.HeldValues(others: { withExtendedLifetime(error) {} }))
    }
  }
}
