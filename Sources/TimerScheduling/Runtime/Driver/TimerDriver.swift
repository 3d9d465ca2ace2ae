/// Fires timers when they are due, on a serial queue of its own.
///
/// When a deadline has come, the driver makes a *pass*: it takes the due timers out of the shards, fires each, and
/// arms the next wakeup.
///
/// **No deadline is missed.** The driver's next look depends on two kinds of moments, each kept for both clocks:
/// ``Shard/earliest`` of each shard is never later than the moment by which any timer filed there must fire, and
/// ``TimerContext/armed`` is never earlier than the wakeup that is armed. While a pass is about to look, `armed` is the
/// beginning of time.
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
package actor TimerDriver: TimerPass {
  private nonisolated let executor: QueueExecutor
  /// All that calls the driver holds the context: the scheduler, its timers, posted blocks and armed sources.
  unowned let context: TimerContext
  let monotonicWakeup = WakeupTimer(on: .monotonic)
  let wallWakeup = WakeupTimer(on: .wall)
  /// Whether the shards were closed by the shutdown.
  private var hasClosed = false
  /// The time of the next check for owners that are gone. Nil while there is no owner to check.
  var nextOwnerCheck: Deadline?
  var latenesses = LatenessHistogram()
  package internal(set) var wakeupCount = 0
  package internal(set) var passCount = 0

  init(of context: TimerContext) {
    self.context = context
    executor = context.executor
  }

  /// The serial queue on which the driver's dispatch timer fires.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Closes the shards after the shutdown, and ends their timers.
  func close() {
    guard !hasClosed else { return }
    hasClosed = true
    context.closeShards(onQueue: true)
    runPass()
  }

  /// Statistics of the timers, as of now and since the driver was made.
  var statistics: TimerStatistics {
    let load = context.runners.load
    let paused = context.observation.pausedCount
    return TimerStatistics(
      active: max(context.timerCount - paused, 0), paused: paused, running: context.tasks.runningCount,
      waiting: load.waiting, blocked: load.blocked, ticks: context.observation.tickCount,
      missed: context.observation.missedCount, failures: context.observation.failureCount,
      wakeups: wakeupCount, droppedEvents: context.observation.droppedCount,
      lateness: TimerStatistics.Lateness(latenesses))
  }
}
