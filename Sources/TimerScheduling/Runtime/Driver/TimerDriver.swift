import Synchronization

/// Fires timers when they are due, on a serial queue of its own.
///
/// When a deadline has come, the driver makes a *pass*: it takes the due timers out of the shards, fires each, and
/// arms the next wakeup. A round of a pass over all shards is a *look*. `Documentation/Architecture.md` has the way of a
/// tick.
///
/// **No deadline is missed.** Two kinds of moments decide when the driver looks next, each kept for both clocks.
/// ``Shard/earliest`` of each shard is never later than the moment by which any timer filed there must fire.
/// ``TimerContext/armed`` promises the next look: it comes by that moment at the latest. So `armed` isn't earlier than
/// the armed wakeup, unless a look is certain to follow: then it is the beginning of time.
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
package actor TimerDriver: ContextDriver {
  private nonisolated let executor: QueueExecutor
  /// All that calls the driver holds the context: the scheduler, its timers, posted blocks and armed sources.
  unowned let context: TimerContext
  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  private var hasClosed = false
  /// The time of the next check for owners that are gone. Nil while there is no owner to check.
  private(set) var nextOwnerCheck: Deadline?
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(of context: TimerContext) {
    self.context = context
    executor = context.executor
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Closes the shards after the shutdown, and ends their timers and sleeps. The driver still fires limits.
  func close() {
    guard !hasClosed else { return }
    hasClosed = true
    context.shards.close(to: .allButLimits) { $0.driverClosed(onQueue: true) }
    runPass()
  }

  var statistics: TimerStatistics {
    let paused = context.observation.pausedCount
    return TimerStatistics(
      activeCount: max(context.timerCount - paused, 0), pausedCount: paused,
      runningCount: context.tasks.runningCount, tickCount: context.observation.tickCount,
      missedCount: context.observation.missedCount, failureCount: context.observation.failureCount,
      wakeupCount: wakeupCount, droppedEventCount: context.observation.droppedCount,
      lateness: TimerStatistics.Lateness(latenesses))
  }

  /// Checks for owners that are gone, if a check is due. Checking may release an owner, so a task does it.
  func checkOwners(at now: Deadline) {
    // Stored first, so that a thread that adds an owner that isn't seen here schedules another pass.
    context.checksOwners.store(true, ordering: .sequentiallyConsistent)
    guard context.owners.hasWatched else {
      context.checksOwners.store(false, ordering: .sequentiallyConsistent)
      if context.owners.hasWatched {
        // The thread that adds it may have read the value before, and so not told the clock.
        context.clock.watchOwners(of: context)
        return checkOwners(at: now)
      }
      nextOwnerCheck = nil
      return
    }
    if let nextOwnerCheck, nextOwnerCheck > now { return }
    // A check may take longer than the interval. One task then checks again, instead of one task for each interval.
    if nextOwnerCheck != nil, context.owners.check.request() {
      context.performElsewhere { [context] in context.owners.check.perform { context.endOrphans() } }
    }
    // Where time stands still, the clock makes the checks.
    nextOwnerCheck = context.clock.standsStill ? .never : now + context.ownerCheckInterval
  }

  /// Whether there are owners to check, and no check is planned.
  var missesOwnerCheck: Bool { nextOwnerCheck == nil && context.owners.hasWatched }
}
