import Synchronization
import TimerSchedulingFoundation

/// Fires a scheduler's timers when they are due, on a serial queue of its own, and has what they share: the clock, the
/// deadlines, names, owners and counters.
///
/// When a deadline has come, the driver makes a *pass*: it takes the due timers out of the queue, fires each, and
/// arms the next wakeup. A round of a pass over all parts of the queue is a *look*.
///
/// **No deadline is missed.** Two kinds of moments decide when the driver looks next, each kept for both clocks.
/// `first` of each part of the queue is never later than the moment by which any timer filed there must fire.
/// ``armed`` promises the next look: it comes by that moment at the latest. So `armed` isn't earlier than
/// the armed wakeup, unless a look is certain to follow: then it is the beginning of time.
///
/// - A thread that files a timer at a moment before `first` stores that moment there, under the part's lock, and
///   then reads `armed`. If its moment is earlier than `armed`, it schedules a pass.
/// - A pass stores the beginning of time in `armed`, visits each part under its lock, and stores in `first` the first
///   moment that is left. Then it stores the earliest of all in `armed`, and reads each `first` again. If
///   one has become lower, the pass looks once more.
///
/// Both store one number before they read the other, and all four accesses are sequentially consistent. So when a
/// thread and a pass run concurrently, at least one sees the other's store: the thread schedules a pass, or the pass
/// looks again.
///
/// **A wakeup is claimed.** A thread that schedules a pass replaces `armed` by the beginning of time, in one atomic
/// step. So of many threads, or for many falling deadlines, only one posts a block to the queue.
package actor TimerDriver {
  static let lastNumber = Atomic<UInt64>(0)
  /// The runners shared by all schedulers in real time.
  private static let sharedRunners = RunnerPool<TimerEntry>(
    label: "TimerRunners", width: ProcessInfo.processInfo.activeProcessorCount)
  static var sharedThreads: (waitingRunCount: Int, blockedCount: Int) { sharedRunners.load }

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  /// The tasks of a virtual clock. Nil in real time.
  let world: (any ClockWorld)?
  let defaultTolerance: Interval
  package nonisolated let ownerCheckInterval: Interval
  let jitterSeed: UInt64
  let jitteredCount = Atomic<UInt64>(0)
  let deadlines: DeadlineQueue<FiledEntry>
  let armed = AtomicMoments()
  /// Whether a pass was posted that disarms the wakeups if no deadline is left.
  let isDisarmPosted = Atomic<Bool>(false)
  let waitCount = Atomic<Int>(0)
  let names = NameTable()
  let owners = OwnerTable()
  /// Whether a pass has seen that there are owners to check.
  let checksOwners = Atomic<Bool>(false)
  let tasks: RunTracker
  /// Guards the values to be released once no block on the queue uses them any more.
  private let deferredRelease = Lock<DeferredRelease?>(nil)
  let hasShutDown = Atomic<Bool>(false)
  let shutdownWaiters: Waiters<Void>
  /// Guards the parts of other modules.
  let closings = Lock(ShutdownClosings())
  let isAbandoned = Atomic<Bool>(false)
  let observation: TimerObservation
  package nonisolated let isObserved: Bool
  package nonisolated let printsFailures: Bool
  let interceptor: ActionInterceptor?
  let wallClockLead = WallClockLead()
  /// The pool that performs the runs without a task of their own: those of actions that aren't bound to an actor, or
  /// are bound to their owner. Nil under virtual time, where each run has a task of its own.
  let runners: RunnerPool<TimerEntry>?

  /// The object that keeps the timers alive, on a clock that can be dropped while they live. Set once, before another
  /// thread can know the driver.
  @safe nonisolated(unsafe) weak var lifeline: (any AnyObject & Sendable)?

  // The rest is used on the queue only.

  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  var hasClosed = false
  /// The time of the next check for owners that are gone. Nil while there is no owner to check.
  var nextOwnerCheck: Deadline?
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(
    label: String, defaultTolerance: Interval, ownerCheckInterval: Interval, observer: (any TimerObserver)?,
    printsFailures: Bool, interceptor: ActionInterceptor?, clock: any SchedulerClock, jitterSeed: UInt64,
    hasOwnThreads: Bool = false
  ) {
    executor = clock.makeExecutor(label: label)
    self.clock = clock
    deadlines = DeadlineQueue { $0 == .monotonic ? clock.readMonotonic() : clock.read().wall }
    world = clock.world
    tasks = RunTracker(in: clock.world)
    shutdownWaiters = Waiters(in: clock.world)
    observation = TimerObservation(
      feed: observer.map {
        EventFeed(to: $0, on: clock.makeExecutor(label: label + ".observer"), in: clock.world)
      })
    isObserved = observer != nil
    self.printsFailures = printsFailures
    self.interceptor = interceptor
    runners =
      if clock.standsStill { nil } else if hasOwnThreads { RunnerPool(label: label, width: 1) } else {
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
      runningCount: tasks.runningCount, tickCount: observation.ticks.load(ordering: .relaxed),
      missedCount: observation.missed.load(ordering: .relaxed),
      failureCount: observation.failures.load(ordering: .relaxed), wakeupCount: wakeupCount,
      droppedEventCount: observation.feed?.droppedCount ?? 0,
      lateness: TimerStatistics.Lateness(latenesses))
  }

  /// Reads both clocks, to compute a deadline.
  nonisolated func read() -> ClockReading {
    let reading = clock.read()
    wallClockLead.note(reading)
    return reading
  }

  nonisolated func performElsewhere(_ work: @escaping @Sendable () -> Void) {
    tasks.beginWork()
    Task.detached { [tasks] in
      work()
      tasks.endWork()
    }
  }

  /// Releases a timer or its values elsewhere, once no block on the queue uses them any more. Called on the queue.
  nonisolated func releaseLater(_ timer: TimerEntry, _ values: TimerEffects.HeldValues? = nil) {
    let isFirst = deferredRelease.withLock { deferred in
      let isFirst = deferred == nil
      let release = deferred ?? DeferredRelease()
      release.add(timer, values)
      deferred = release
      return isFirst
    }
    guard isFirst else { return }
    tasks.beginWork()
    executor.async { [self] in
      let release = deferredRelease.withLock { $0.take() }
      performElsewhere { release?.releaseValues() }
      tasks.endWork()
    }
  }
}

/// User values held by timers that have finished on the driver's queue, to be released off it.
///
/// Releasing a value can run a `deinit`, and cancelling a task can run its handlers; neither may happen on the queue.
/// A later block of the queue takes this object from the driver, when no pass holds one of the values any more, and has
/// it emptied elsewhere. So the object itself may then be released on any thread.
final class DeferredRelease: Sendable {
  private struct Part: Sendable {
    let timer: TimerEntry
    /// Nil for a timer that itself must be released, as it holds an error.
    var values: TimerEffects.HeldValues?
  }

  /// Guards the timers and their values.
  private let parts = Lock<[Part]>([])

  func add(_ timer: TimerEntry, _ values: TimerEffects.HeldValues? = nil) {
    parts.withLock { $0.append(Part(timer: timer, values: values)) }
  }

  /// Cancels tasks, releases all values, and notifies the timers.
  func releaseValues() {
    var parts = parts.withLock { parts in
      defer { parts = [] }
      return parts
    }
    for index in parts.indices where parts[index].values != nil {
      parts[index].values?.release()
      parts[index].timer.valuesReleased()
    }
  }
}
