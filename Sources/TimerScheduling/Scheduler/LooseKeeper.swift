/// The keeper of timers whose scheduler is held by its clock.
///
/// A timer on the machine's clock holds its scheduler, and the scheduler holds the timer. A virtual clock can be dropped
/// while timers are live, and then nothing would ever end that cycle. So timers on a virtual clock hold this object
/// instead, which holds the scheduler weakly. The clock holds the scheduler while it has timers, and so does every
/// handle. After the clock's release, the scheduler is released with the last reference to it or to a handle.
final class LooseKeeper: TimerKeeper {
  private struct Handles {
    var count = 0
    /// The scheduler, while there are handles.
    var scheduler: TimerScheduler?
  }

  let clock: any SchedulerClock
  let holder: any SchedulerHolder
  let observation: TimerObservation
  let interceptor: TimerScheduler.ActionInterceptor?
  let tasks: TaskTracker
  /// Set by the scheduler's initializer, before another thread can know the scheduler. Only read afterwards.
  @safe nonisolated(unsafe) private(set) weak var scheduler: TimerScheduler?
  /// Guards the handles of all timers, and what they hold.
  private let handles = Lock(Handles())

  init(
    clock: any SchedulerClock, holder: any SchedulerHolder, observation: TimerObservation,
    interceptor: TimerScheduler.ActionInterceptor?, tasks: TaskTracker
  ) {
    self.clock = clock
    self.holder = holder
    self.observation = observation
    self.interceptor = interceptor
    self.tasks = tasks
  }

  /// Sets the scheduler, once.
  func attach(_ scheduler: TimerScheduler) {
    self.scheduler = scheduler
  }

  // MARK: Handles

  func handleMade() {
    let scheduler = scheduler
    handles.withLock { handles in
      handles.count += 1
      if handles.scheduler == nil { handles.scheduler = scheduler }
    }
  }

  func handleReleased() {
    let released = handles.withLock { handles in
      handles.count -= 1
      return handles.count == 0 ? handles.scheduler.take() : nil
    }
    // May be the last reference, which is released outside the lock.
    withExtendedLifetime(released) {}
  }

  // MARK: TimerKeeper

  var monitor: (any ConsumerMonitor)? { clock.monitor }

  var isShutDown: Bool { scheduler?.isShutDown ?? false }

  func pendingTimer(on schedule: TimerSchedule) -> PendingTimer? { scheduler?.pendingTimer(on: schedule) }

  func plan(_ schedule: TimerSchedule, at reading: ClockReading) -> TimerPlan {
    // A plan is asked for by a handle, which holds the scheduler.
    scheduler?.plan(schedule, at: reading)
      ?? TimerPlan(schedule, defaultTolerance: .zero, jitterSeed: 0, at: reading)
  }

  func look(at record: TimerRecord, before due: Deadline) {
    if let scheduler { scheduler.look(at: record, before: due) } else { record.finishWithoutScheduler() }
  }

  func giveUp(_ record: TimerRecord) { scheduler?.giveUp(record) }

  func dispose(of remains: FollowUp.Remains, of record: TimerRecord) {
    // Called by a pass, which holds the scheduler.
    scheduler?.dispose(of: remains, of: record)
  }
}

extension [TimerRecord] {
  /// Ends the timers of a scheduler that is being released. They are released elsewhere than on the timer queue.
  func finishWithoutScheduler() {
    guard !isEmpty else { return }
    Task.detached {
      for record in self { record.finishWithoutScheduler() }
    }
  }
}
