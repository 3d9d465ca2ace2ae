/// What a timer needs of the scheduler that keeps it.
///
/// A record holds its keeper strongly: a live timer keeps its scheduler alive. On a virtual clock the keeper is a
/// ``LooseKeeper``, and the clock keeps the scheduler alive.
protocol TimerKeeper: AnyObject, Sendable {
  var clock: any SchedulerClock { get }

  /// Is told of those who wait for timers, where it matters.
  var monitor: (any ConsumerMonitor)? { get }

  /// Counts what timers do, and tells the scheduler's observer.
  var observation: TimerObservation { get }

  /// What encloses each run of an action for one tick.
  var interceptor: TimerScheduler.ActionInterceptor? { get }

  /// Whether the scheduler has shut down, which ends every timer.
  var isShutDown: Bool { get }

  /// A timer that waits from now on for the first deadline of a schedule, or nil if that takes one in full.
  func pendingTimer(on schedule: TimerSchedule) -> PendingTimer?

  /// Binds a schedule to the clocks.
  func plan(_ schedule: TimerSchedule, at reading: ClockReading) -> TimerPlan

  /// The record has changed. The keeper compares it with what is filed, some time soon and before `due`.
  func look(at record: TimerRecord, before due: Deadline)

  /// The timer has finished, so that its name is free again and its owner has it no longer.
  func giveUp(_ record: TimerRecord)

  /// Does something in a task, off the scheduler's queue.
  func performElsewhere(_ work: @escaping @Sendable () -> Void)

  /// Releases elsewhere what a timer held, and tells the timer. Called on the scheduler's queue.
  func dispose(of remains: FollowUp.Remains, of record: TimerRecord)

  /// Tracks the runs of actions, and work in the background.
  var tasks: TaskTracker { get }

  /// A handle of a timer was made, or released.
  func handleMade()
  func handleReleased()
}

extension TimerKeeper {
  func handleMade() {}
  func handleReleased() {}

  func performElsewhere(_ work: @escaping @Sendable () -> Void) {
    tasks.beginWork()
    Task.detached { [tasks] in
      work()
      tasks.endWork()
    }
  }
}
