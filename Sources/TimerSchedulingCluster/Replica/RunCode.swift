import TimerScheduling

typealias ClusterAction = @isolated(any) @Sendable (ClusterRun) async throws -> Void

/// The action of a job or a handler, and the treatment of its runs that don't end as they should.
struct RunCode: Sendable {
  let ifAbandoned: AbandonedRunBehavior
  let ifFailed: FailedRunBehavior
  /// The handler of the job that is put when a date is given up.
  let ifGivenUp: String?
  let catchUp: Duration
  let timeout: Duration?
  let action: ClusterAction

  init(
    ifAbandoned: AbandonedRunBehavior, ifFailed: FailedRunBehavior, ifGivenUp: GivenUpRunBehavior = .leave,
    catchUp: Duration, timeout: Duration?, action: @escaping ClusterAction, on cluster: TimerCluster
  ) throws(ClusterError) {
    self.ifGivenUp = if let handler = ifGivenUp.handler { try cluster.checked(handler) } else { nil }
    cluster.scheduler.requireValid(action.isolation)
    for attempts in [ifAbandoned.attempts, ifFailed.attempts] {
      precondition(attempts > 0, "A date has one attempt or more, but \(attempts) was given.")
    }
    precondition(catchUp >= .zero, "The time to catch up must be zero or more, but \(catchUp) was given.")
    precondition(
      timeout ?? .nanoseconds(1) > .zero,
      "A run's time limit must be greater than zero, but \(timeout ?? .zero) was given.")
    (self.ifAbandoned, self.ifFailed, self.timeout, self.action) = (ifAbandoned, ifFailed, timeout, action)
    // While a replica dies and another takes its place, no date is too old.
    self.catchUp = max(catchUp, cluster.lease)
  }

  /// Returns the number of times that a range may be begun.
  func attempts(of claim: ClaimedRun) -> Int {
    if claim.isCancelled { return 0 }
    let counts = counts(of: claim)
    return claim.isLost ? counts.ifAbandoned : max(counts.ifAbandoned, counts.ifFailed)
  }

  /// Those that the job was put with take the place of the handler's.
  private func counts(of claim: ClaimedRun) -> (ifAbandoned: Int, ifFailed: Int) {
    let own = claim.options?.attempts
    return (
      ifAbandoned == .leave ? 1 : own ?? ifAbandoned.attempts,
      ifFailed == .leave ? 1 : own ?? ifFailed.attempts
    )
  }

  /// Draws the time after which a run whose action has failed is tried again. Nil if it isn't.
  func wait(after claim: ClaimedRun, on scheduler: TimerScheduler) -> Duration? {
    guard claim.attempt < attempts(of: claim), case .retry(_, let backoff) = ifFailed,
      claim.attempt < counts(of: claim).ifFailed
    else { return nil }
    return scheduler.wait(after: claim.attempt, backoff)
  }
}
