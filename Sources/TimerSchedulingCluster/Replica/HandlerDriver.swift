import TimerScheduling

/// Runs a handler's action for jobs that were put.
///
/// A timer of the user's scheduler, which does nothing, holds the driver. Each run has a timer of its own there.
final class HandlerDriver: RunDriver {
  /// Gives a row back if its timer is released before it has fired.
  private final class Delivery: Sendable {
    private let replica: ClusterReplica
    private let runs: HandlerRuns
    private let number: Int
    /// Guards the row until it is taken.
    private let run: Lock<ActiveRun?>

    init(_ run: ActiveRun, _ number: Int, of driver: HandlerDriver) {
      self.run = Lock(run)
      (replica, runs, self.number) = (driver.replica, driver.runs, number)
    }

    deinit {
      guard let run = take() else { return }
      runs.end(number)
      replica.settle(run, RunEnd(releasing: run.claim))
    }

    func take() -> ActiveRun? { run.withLock { $0.take() } }
  }

  let name: String
  let code: RunCode
  /// The largest number of runs at a time.
  private let limit: Int
  private let catchUp: Duration
  private let replica: ClusterReplica
  private let scheduler: TimerScheduler
  let runs = HandlerRuns()
  /// Guards the timer that holds the driver.
  private let timer = Lock<ScheduledTimer?>(nil)

  init(
    name: String, code: RunCode, limit: Int, catchUp: Duration, replica: ClusterReplica,
    scheduler: TimerScheduler
  ) {
    (self.name, self.code, self.limit, self.catchUp) = (name, code, limit, catchUp)
    (self.replica, self.scheduler) = (replica, scheduler)
  }

  deinit { replica.remove(name, from: \.handlers) }

  /// Has a timer hold the driver.
  func begin() -> ScheduledTimer {
    let timer = scheduler.schedule(.wakeup(after: .day)) { [replica] _ in
      replica.wake()
      _ = self
    }
    self.timer.withLock { $0 = timer }
    replica.add(self)
    return timer
  }

  func end() {
    timer.withLock(\.self)?.cancel()
    for run in runs.all { run.cancel() }
  }

  /// The number of further runs that the handler may have. Zero while its timer is paused, and once it has ended.
  var room: Int {
    timer.withLock { $0?.state == .scheduled } ? max(limit - runs.count, 0) : 0
  }

  func plannedEnd(of claim: ClaimedRun) -> RunEnd {
    do throws(ClusterError) {
      let dates = try ClusterDates(text: claim.schedule, catchUp: catchUp)
      replica.state.withLock { $0.unreadable.remove(claim.job) }
      return dates.plannedEnd(of: claim, attempts: code.attempts(of: claim))
    } catch {
      // A newer program may have put it, and its replicas can run it.
      let isNews = replica.state.withLock { [elapsed = replica.elapsed] in
        $0.unreadable.note(claim.job, claim.schedule, at: elapsed)
      }
      if isNews {
        replica.report(
          .scheduleUnreadable(job: claim.job, schedule: claim.schedule, reason: error.reason))
      }
      return RunEnd(releasing: claim)
    }
  }

  func deliver(_ run: ActiveRun) {
    guard let number = runs.add(below: limit) else {
      // The store brings no more rows than there is room for, but it may not know of the limit.
      return replica.settle(run, RunEnd(releasing: run.claim))
    }
    let delivery = Delivery(run, number, of: self)
    let timer = scheduler.schedule(.after(.zero)) { [replica, code, runs, limit] _ in
      guard let run = delivery.take() else { return }
      defer {
        // Others may have waited for room.
        if runs.end(number) == limit { replica.wake() } else { replica.wake(after: run) }
      }
      do {
        try await replica.complete(run, code) {
          runs.begin(number)
          replica.noteBegin()
        }
      } catch {
        if !(error is CancellationError && Task.isCancelled) { runs.note(error) }
        throw error
      }
    }
    runs.set(timer, for: number)
  }
}
