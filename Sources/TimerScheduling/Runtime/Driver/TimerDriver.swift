import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fires timers when they are due, on a serial queue of its own.
///
/// A timer is filed by the thread that makes or changes it, under the lock of a ``Shard``. The driver makes a *pass* when
/// a deadline has come: it takes what is due out of the shards, has each timer decide what follows, and asks for the next
/// wakeup.
///
/// Timers hold their driver, and the driver holds them while they live. So ticks go on if the scheduler isn't held.
///
/// **No deadline is missed.** Three numbers, each a moment for each clock, say when the driver looks next:
/// ``Shard/earliest`` of each shard is no later than what is filed there, and `armed` is no earlier than the wakeup that
/// the driver has asked for. While a pass is about to look, `armed` is the beginning of time.
///
/// - A thread that files a timer at a moment before `earliest` stores it there, under the shard's lock, and then reads
///   `armed`. If its moment is the earlier one, it has a pass made.
/// - A pass stores the beginning of time in `armed`, visits each shard under its lock, and stores in `earliest` the first
///   moment that is left. Then it stores the first of all in `armed`, and reads each `earliest` again. If one is lower by
///   now, it looks once more.
///
/// Both store one number before they read the other, and all four accesses are sequentially consistent. So of a thread
/// and a pass that meet, one finds what the other has stored: the thread has a pass made, or the pass looks again.
///
/// **A wakeup is claimed.** A thread that has a pass made replaces `armed` by the beginning of time, in one step. So of
/// many threads, or of many falling deadlines, only one posts a block to the queue.
package actor TimerDriver {
  static let lastNumber = Atomic<UInt64>(0)
  /// The runners of all drivers in real time.
  private static let sharedRunners = RunnerPool<ActionWork>(
    label: "TimerRunners", width: ProcessInfo.processInfo.activeProcessorCount)

  package nonisolated let executor: QueueExecutor
  package nonisolated let clock: any SchedulerClock
  nonisolated let monitor: (any ConsumerMonitor)?
  nonisolated let defaultTolerance: Interval
  nonisolated let jitterSeed: UInt64
  nonisolated let jitteredCount = Atomic<UInt64>(0)
  nonisolated let shards: Shards
  /// Whether a timer has gone to another place, as its new schedule is on the other clock.
  nonisolated let hasMovedTimers = Atomic<Bool>(false)
  /// No earlier than the wakeups that are asked for.
  nonisolated let armed = AtomicMoments()
  /// Whether a pass was posted that disarms the wakeups if no deadline is left.
  nonisolated let isDisarmPosted = Atomic<Bool>(false)
  nonisolated let names = NameTable()
  nonisolated let owners = OwnerTable()
  /// Whether a pass has seen that owners have to be looked for.
  nonisolated let checksOwners = Atomic<Bool>(false)
  nonisolated let tasks: TaskTracker
  nonisolated let hasShutDown = Atomic<Bool>(false)
  /// Tasks that wait for the shutdown.
  nonisolated let shutdownWaiters: Waiters<Void>
  /// Whether the lifeline was released.
  nonisolated let isAbandoned = Atomic<Bool>(false)
  nonisolated let observation: TimerObservation
  /// Whether an observer is told of what happens.
  nonisolated let isObserved: Bool
  nonisolated let interceptor: ActionInterceptor?
  /// Performs the runs of actions that aren't bound to an actor.
  nonisolated let runners: RunnerPool<ActionWork>
  /// What keeps the timers alive, on a clock that can be dropped while they live. Set once, before another thread can know
  /// the driver.
  @safe nonisolated(unsafe) private(set) weak var lifeline: Lifeline?

  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  /// When the wall clock was farthest ahead of the monotonic one, since it was last found set back.
  var latestWallClock: ClockReading?
  nonisolated let ownerCheckInterval: Interval
  /// When to look for owners that are gone. Nil while there is none to look for.
  var nextOwnerCheck: Deadline?
  var deferredRelease = DeferredRelease()
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(
    label: String, defaultTolerance: Interval, ownerCheckInterval: Interval, observer: (any TimerObserver)?,
    interceptor: ActionInterceptor?, clock: any SchedulerClock, jitterSeed: UInt64
  ) {
    executor = clock.makeExecutor(label: label)
    self.clock = clock
    shards = Shards(on: clock)
    monitor = clock.monitor
    tasks = TaskTracker(noting: clock.monitor)
    shutdownWaiters = Waiters(noting: clock.monitor)
    observation = TimerObservation(for: observer, label: label + ".observer", noting: clock.monitor)
    isObserved = observer != nil
    self.interceptor = interceptor
    // Under virtual time runs begin in order, one after the other.
    runners = clock.monitor == nil ? Self.sharedRunners : RunnerPool(serialLabel: label + ".runners")
    self.defaultTolerance = defaultTolerance
    self.ownerCheckInterval = ownerCheckInterval
    self.jitterSeed = jitterSeed
  }

  /// The serial queue on which the driver's dispatch timer fires.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Makes what keeps the timers alive. Returns nil on the machine's clocks, on which timers keep themselves alive.
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

  /// Releases elsewhere what a timer held, and tells the timer. Called on the driver's queue.
  nonisolated func dispose(of remains: TimerEffects.Remains, of entry: TimerEntry) {
    assumeIsolated { driver in driver.releaseLater { $0.add(remains, of: entry) } }
  }

  /// Has something released elsewhere, once nothing on the queue is under way with it.
  func releaseLater(_ add: (inout DeferredRelease) -> Void) {
    if deferredRelease.isEmpty {
      tasks.beginWork()
      executor.async { [self] in
        let parcel = assumeIsolated { $0.deferredRelease.pack() }
        performElsewhere { parcel.unpack() }
        tasks.endWork()
      }
    }
    add(&deferredRelease)
  }
}

/// Keeps the timers of a clock that can be dropped while they live.
///
/// Such a clock holds it while there are timers, and so do a scheduler and its timers' handles. When it is released, the
/// timers are.
final class Lifeline: Sendable {
  private let driver: TimerDriver

  init(_ driver: TimerDriver) { self.driver = driver }

  deinit { driver.abandon() }
}
