import TimerScheduling

/// Runs a handler's action for jobs that were put.
///
/// A timer of the user's scheduler, which does nothing, holds the driver. Each run has a timer of its own there.
final class HandlerDriver: RunDriver {
  /// Gives a row back if its timer is released before it has fired.
  private final class Delivery: Sendable {
    private let replica: ClusterReplica
    /// Guards the row until it is taken.
    private let run: Lock<ActiveRun?>

    init(_ run: ActiveRun, on replica: ClusterReplica) {
      self.run = Lock(run)
      self.replica = replica
    }

    deinit { if let run = take() { replica.settle(run, RunEnd(releasing: run.claim)) } }

    func take() -> ActiveRun? { run.withLock { $0.take() } }
  }

  /// The jobs that have failed and aren't over. Only the first error of each is printed.
  private final class FailingJobs: Sendable {
    private static let most = 1_000
    /// Guards the names. If there are too many, all are removed, and the next errors are printed again.
    private let names = Lock<Set<String>>([])

    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }

    /// Adds a job. Returns false if it has failed before.
    func add(_ name: String) -> Bool {
      names.withLock { names in
        if names.count >= Self.most { names = [] }
        return names.insert(name).inserted
      }
    }
  }

  let name: String
  let policy: RunPolicy
  private let catchUp: Duration
  private let replica: ClusterReplica
  private let scheduler: TimerScheduler
  private let action: ClusterAction
  private let failing = FailingJobs()
  /// Guards the timer that holds the driver.
  private let timer = Lock<ScheduledTimer?>(nil)

  init(
    name: String, policy: RunPolicy, catchUp: Duration, replica: ClusterReplica, scheduler: TimerScheduler,
    action: @escaping ClusterAction
  ) {
    (self.name, self.policy, self.catchUp) = (name, policy, catchUp)
    (self.replica, self.scheduler, self.action) = (replica, scheduler, action)
  }

  deinit { replica.remove(name, from: \.handlers) }

  /// Has a timer hold the driver.
  func begin() {
    let timer = scheduler.schedule(.wakeup(after: .day), name: "handler \(name)") { _ in _ = self }
    self.timer.withLock { $0 = timer }
    replica.add(self)
  }

  /// Whether the timer is paused, and with it the handler.
  var isPaused: Bool { timer.withLock { $0?.isPaused ?? false } }

  func plannedEnd(of claim: ClaimedRun) -> RunEnd {
    do throws(ClusterError) {
      let dates = try ClusterDates(text: claim.schedule, catchUp: catchUp)
      return dates.plannedEnd(of: claim, attempts: policy.attempts(of: claim))
    } catch {
      // A newer program may have put it. The job waits until it is put again.
      let error = ClusterError.scheduleUnreadable(
        job: claim.job, schedule: claim.schedule, reason: error.reason)
      replica.report(error)
      var end = RunEnd(
        token: claim.token, outcome: .failed, through: claim.until, schedule: claim.schedule, missed: 0,
        failure: error.description)
      end.skipped = [SkippedDates(from: claim.from, through: claim.until, reason: .scheduleUnreadable)]
      end.asked = claim.asked?.id
      return end
    }
  }

  func deliver(_ run: ActiveRun) {
    let delivery = Delivery(run, on: replica)
    scheduler.schedule(.after(.zero), name: "\(name): \(run.claim.job)") { [replica, action, failing] _ in
      guard let run = delivery.take() else { return }
      defer { replica.wake(after: run) }
      do {
        try await replica.complete(run, action)
        // Another job may be put under the name of one that is over.
        if run.plannedEnd.next == nil { failing.remove(run.claim.job) }
      } catch {
        if !failing.add(run.claim.job) { ActionRun.currentFailsAgain() }
        throw error
      }
    }
  }
}
