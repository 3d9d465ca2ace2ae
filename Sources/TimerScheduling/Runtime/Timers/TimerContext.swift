import Synchronization
import TimerSchedulingFoundation

/// The objects that all timers of a scheduler share: clock, shards, pool, names and owners.
///
/// A timer is filed by the thread that makes or changes it, under the lock of a ``Shard``. When a deadline has come,
/// the scheduler's driver fires it, on the serial queue of ``executor``.
///
/// Timers hold their context, and the context holds its live timers. So ticks go on if the scheduler isn't held. The
/// context also holds its driver, which refers back to it without holding it.
package final class TimerContext: ClockClient {
  /// Fires the timers. Set once, before another thread can know the context.
  ///
  /// It is the first property, and so the first to be released: when the observer and the interceptor are, the driver is
  /// gone, which has no context any more.
  @safe nonisolated(unsafe) private(set) var driver: (any ContextDriver)!

  static let lastNumber = Atomic<UInt64>(0)
  /// The runners shared by all schedulers in real time.
  private static let sharedRunners = RunnerPool<TimerEntry>(
    label: "TimerRunners", width: ProcessInfo.processInfo.activeProcessorCount)
  static var sharedThreads: (waitingRunCount: Int, blockedCount: Int) { sharedRunners.load }

  package let executor: QueueExecutor
  package let clock: any SchedulerClock
  /// The tasks of a virtual clock. Nil in real time.
  let world: (any ClockWorld)?
  let defaultTolerance: Interval
  package let ownerCheckInterval: Interval
  let jitterSeed: UInt64
  let jitteredCount = Atomic<UInt64>(0)
  let shards: Shards<FiledEntry>
  /// The moments by which the driver looks next. `Driver/TimerDriver` says why no deadline is missed.
  let armed = AtomicMoments()
  /// Whether a pass was posted that disarms the wakeups if no deadline is left.
  let isDisarmPosted = Atomic<Bool>(false)
  /// The number of tasks' waits among the entries of the shards.
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
  let isAbandoned = Atomic<Bool>(false)
  let observation: TimerObservation
  let isObserved: Bool
  let printsFailures: Bool
  let interceptor: ActionInterceptor?
  let wallClockLead = WallClockLead()
  /// The pool that performs the runs without a task of their own: those of actions that aren't bound to an actor, or
  /// are bound to their owner. Nil under virtual time, where each run has a task of its own.
  let runners: RunnerPool<TimerEntry>?

  /// The object that keeps the timers alive, on a clock that can be dropped while they live. Set once, before another
  /// thread can know the context.
  @safe nonisolated(unsafe) private(set) weak var lifeline: (any AnyObject & Sendable)?

  init(
    label: String, defaultTolerance: Interval, ownerCheckInterval: Interval, observer: (any TimerObserver)?,
    printsFailures: Bool, interceptor: ActionInterceptor?, clock: any SchedulerClock, jitterSeed: UInt64
  ) {
    executor = clock.makeExecutor(label: label)
    self.clock = clock
    shards = Shards { $0 == .monotonic ? clock.readMonotonic() : clock.read().wall }
    world = clock.world
    tasks = RunTracker(in: clock.world)
    shutdownWaiters = Waiters(in: clock.world)
    observation = TimerObservation(for: observer, label: label + ".observer", on: clock)
    isObserved = observer != nil
    self.printsFailures = printsFailures
    self.interceptor = interceptor
    runners = clock.standsStill ? nil : Self.sharedRunners
    self.defaultTolerance = defaultTolerance
    self.ownerCheckInterval = ownerCheckInterval
    self.jitterSeed = jitterSeed
  }

  /// Completes the context. Called once, before another thread can know it.
  func complete(with driver: any ContextDriver, _ lifeline: (any AnyObject & Sendable)?) {
    self.driver = driver
    self.lifeline = lifeline
  }

  /// Reads both clocks, to compute a deadline.
  func read() -> ClockReading {
    let reading = clock.read()
    wallClockLead.note(reading)
    return reading
  }

  func performElsewhere(_ work: @escaping @Sendable () -> Void) {
    tasks.beginWork()
    Task.detached { [tasks] in
      work()
      tasks.endWork()
    }
  }

  /// Releases a timer or its values elsewhere, once no block on the queue uses them any more. Called on the queue.
  func releaseLater(_ timer: TimerEntry, _ values: TimerEffects.HeldValues? = nil) {
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

/// What a context asks of its `TimerDriver`, which lies in a folder above and names the context itself.
protocol ContextDriver: Actor {
  /// Fires all timers that are due, and arms the next wakeup. A pass that isn't `firing` only arms, as under virtual
  /// time nothing fires between two moves of the clock.
  func runPass(firing isFiring: Bool)

  /// Handles a call of the wakeup source of a clock.
  func wake(on timeline: Timeline)

  /// Closes the shards after the shutdown, and ends their timers.
  func close()
}
