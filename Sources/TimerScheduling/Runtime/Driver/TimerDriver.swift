import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fires timers when they are due, on a serial queue of its own.
///
/// A timer is filed by the thread that makes or changes it, under the lock of a ``Shard``. When a deadline has come,
/// the driver makes a *pass*: it takes the due timers out of the shards, lets each decide what follows, and arms the
/// next wakeup.
///
/// Timers hold their driver, and the driver holds its live timers. So ticks go on if the scheduler isn't held.
///
/// **No deadline is missed.** The driver's next look depends on two kinds of moments, each kept for both clocks:
/// ``Shard/earliest`` of each shard is never later than the moment by which any timer filed there must fire, and
/// `armed` is never earlier than the wakeup that is armed. While a pass is about to look, `armed` is the beginning of
/// time.
///
/// - A thread that files a timer at a moment before `earliest` stores that moment there, under the shard's lock, and
///   then reads `armed`. If its moment is earlier than `armed`, it schedules a pass.
/// - A pass stores the beginning of time in `armed`, visits each shard under its lock, and stores in `earliest` the
///   first moment that is left. Then it stores the earliest of all in `armed`, and reads each `earliest` again. If
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
  /// The runners shared by all drivers in real time.
  private static let sharedRunners = RunnerPool<ActionWork>(
    label: "TimerRunners", width: ProcessInfo.processInfo.activeProcessorCount)

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  nonisolated let monitor: (any ConsumerMonitor)?
  nonisolated let defaultTolerance: Interval
  nonisolated let jitterSeed: UInt64
  nonisolated let jitteredCount = Atomic<UInt64>(0)
  nonisolated let shards: Shards
  nonisolated let movedTimers = MovedTimers()
  /// The moments of the driver's next look, never earlier than the armed wakeups.
  nonisolated let armed = AtomicMoments()
  /// Whether a pass was posted that disarms the wakeups if no deadline is left.
  nonisolated let isDisarmPosted = Atomic<Bool>(false)
  nonisolated let names = NameTable()
  nonisolated let owners = OwnerTable()
  /// Whether a pass has seen that there are owners to check.
  nonisolated let checksOwners = Atomic<Bool>(false)
  nonisolated let tasks: TaskTracker
  nonisolated let hasShutDown = Atomic<Bool>(false)
  /// Tasks that wait for the shutdown.
  nonisolated let shutdownWaiters: Waiters<Void>
  /// Whether the lifeline was released.
  nonisolated let isAbandoned = Atomic<Bool>(false)
  nonisolated let observation: TimerObservation
  /// Whether there is an observer to receive events.
  nonisolated let isObserved: Bool
  /// Whether errors of actions are printed that no observer receives.
  nonisolated let printsFailures: Bool
  nonisolated let interceptor: ActionInterceptor?
  nonisolated let wallClockLead = WallClockLead()
  /// The pool that performs runs of actions that aren't bound to an actor.
  nonisolated let runners: RunnerPool<ActionWork>

  /// The executor shared by the runs of actions.
  package nonisolated var runnerExecutor: RunnerExecutor { runners.executor }
  /// The object that keeps the timers alive, on a clock that can be dropped while they live. Set once, before another
  /// thread can know the driver.
  @safe nonisolated(unsafe) private(set) weak var lifeline: Lifeline?

  /// Whether the shards were closed by the shutdown.
  var hasClosed = false
  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  package nonisolated let ownerCheckInterval: Interval
  /// The time of the next check for owners that are gone. Nil while there is no owner to check.
  var nextOwnerCheck: Deadline?
  var deferredRelease = DeferredRelease()
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(
    label: String, defaultTolerance: Interval, ownerCheckInterval: Interval, observer: (any TimerObserver)?,
    printsFailures: Bool, interceptor: ActionInterceptor?, clock: any SchedulerClock, jitterSeed: UInt64
  ) {
    executor = clock.makeExecutor(label: label)
    self.clock = clock
    shards = Shards(on: clock)
    monitor = clock.monitor
    tasks = TaskTracker(noting: clock.monitor)
    shutdownWaiters = Waiters(noting: clock.monitor)
    observation = TimerObservation(for: observer, label: label + ".observer", noting: clock.monitor)
    isObserved = observer != nil
    self.printsFailures = printsFailures
    self.interceptor = interceptor
    // Under virtual time, runs begin in order, one after the other.
    runners =
      clock.monitor.map { RunnerPool(serialLabel: label + ".runners", noting: $0) } ?? Self.sharedRunners
    self.defaultTolerance = defaultTolerance
    self.ownerCheckInterval = ownerCheckInterval
    self.jitterSeed = jitterSeed
  }

  /// The serial queue on which the driver's dispatch timer fires.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes the object that keeps the timers alive. Returns nil on the machine's clocks, on which timers keep
  /// themselves alive.
  nonisolated func makeLifeline() -> Lifeline? {
    guard clock.holder != nil else { return nil }
    let lifeline = Lifeline(self)
    self.lifeline = lifeline
    return lifeline
  }

  // MARK: Work outside the queue

  nonisolated func performElsewhere(_ work: @escaping @Sendable () -> Void) {
    tasks.beginWork()
    Task.detached { [tasks] in
      work()
      tasks.endWork()
    }
  }

  /// Releases a timer's values elsewhere, and notifies the timer. Called on the driver's queue.
  nonisolated func dispose(of values: TimerEffects.HeldValues, of entry: TimerEntry) {
    assumeIsolated { driver in driver.releaseLater { $0.add(values, of: entry) } }
  }

  /// Releases values elsewhere, once no block on the queue uses them any more.
  func releaseLater(_ add: (inout DeferredRelease) -> Void) {
    if deferredRelease.isEmpty {
      tasks.beginWork()
      executor.async { [self] in
        let batch = assumeIsolated { $0.deferredRelease.takeAll() }
        performElsewhere { batch.releaseValues() }
        tasks.endWork()
      }
    }
    add(&deferredRelease)
  }
}

/// Keeps the timers of a clock that can be dropped while they live.
///
/// Such a clock holds the lifeline while there are timers; a scheduler and its timers' handles hold it, too. When it
/// is released, so are the timers.
final class Lifeline: Sendable {
  private let driver: TimerDriver

  init(_ driver: TimerDriver) { self.driver = driver }

  deinit { driver.abandon() }
}
