import TimerScheduling

typealias ClusterAction = @isolated(any) @Sendable (ClusterRun) async throws -> Void

/// The action of a job or a handler, and the treatment of its runs that don't end as they should.
struct RunCode: Sendable {
  let ifAbandoned: AbandonedRunBehavior
  let ifFailed: FailedRunBehavior
  let timeout: Duration?
  let action: ClusterAction

  init(
    ifAbandoned: AbandonedRunBehavior, ifFailed: FailedRunBehavior, timeout: Duration?,
    action: @escaping ClusterAction, on scheduler: TimerScheduler
  ) {
    scheduler.requireValid(action.isolation)
    ifAbandoned.check()
    ifFailed.check()
    precondition(
      timeout ?? .nanoseconds(1) > .zero,
      "A run's time limit must be greater than zero, but \(timeout ?? .zero) was given.")
    (self.ifAbandoned, self.ifFailed, self.timeout, self.action) = (ifAbandoned, ifFailed, timeout, action)
  }

  /// Returns the number of times that a range may be begun.
  func attempts(of claim: ClaimedRun) -> Int {
    if claim.isCancelled { return 0 }
    return claim.isLost ? ifAbandoned.attempts : max(ifAbandoned.attempts, ifFailed.attempts)
  }

  /// Draws the time after which a run whose action has failed is tried again. Nil if it isn't.
  func wait(after claim: ClaimedRun, on scheduler: TimerScheduler) -> Duration? {
    guard claim.attempt < attempts(of: claim) else { return nil }
    return ifFailed.backoff(after: claim.attempt).map { scheduler.wait(after: claim.attempt, $0) }
  }
}

/// The code for rows that a replica has claimed: of one job of the program, or of a handler for jobs that were put.
protocol RunDriver: AnyObject, Sendable {
  var code: RunCode { get }

  /// Returns the end of a run if its action returns, or if it has no date to run.
  func plannedEnd(of claim: ClaimedRun) -> RunEnd

  /// Has the action run for a row.
  func deliver(_ run: ActiveRun)
}

extension ClusterReplica {
  /// Runs an action, and reports the end of its run. Throws the action's error, or that of the report.
  func complete(
    _ run: ActiveRun, _ code: RunCode, begins: @escaping @Sendable () -> Void = {}
  ) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await run.perform(code, begins: begins)) } catch { result = .failure(error) }
    switch run.end {
    case .known: release(run)
    case .unknown(let end):
      // In a timer of its own, as that of the run may be cancelled.
      let failure = Lock<(any Error)?>(nil)
      let reporting = companion.schedule(.after(.zero)) { [self] _ in
        let error = await report(end, of: run)
        failure.withLock { $0 = error }
      }
      reporting.fire()
      await reporting.waitUntilFinished()
      if let error = failure.withLock(\.self) { throw error }
    case .cutOff: giveUp(run)
    }
    if case .unknown(let end) = run.end, end.outcome == .postponed { return }
    noteFailure(of: run, result)
    try result.get()
  }

  /// Prints the first error of a job, as a run's timer has no name. The timer itself prints none.
  private func noteFailure(of run: ActiveRun, _ result: Result<Void, any Error>) {
    guard case .failure(let error) = result else {
      // Another job may be put under the name of one that is over.
      if run.plannedEnd.next == nil { state.withLock { _ = $0.failing.remove(run.claim.job) } }
      return
    }
    ActionRun.currentFailsAgain()
    let isFirst = state.withLock { state in
      // If there are too many, all are removed, and the next errors are printed again.
      if state.failing.count >= 1_000 { state.failing = [] }
      return state.failing.insert(run.claim.job).inserted
    }
    guard isFirst, printsFailures, !(error is CancellationError) else { return }
    let text = "\(error)"
    let period = text.hasSuffix(".") ? "" : "."
    let handler = run.claim.handler.isEmpty ? "" : " of the handler \"\(run.claim.handler)\""
    StandardError.print(
      """
      TimerScheduling: A run of the job "\(run.claim.job)"\(handler) has thrown \(text)\(period) The job's later \
      errors aren't printed.
      """)
  }

  /// Has the replica claim the row of a run that is over: at its next date or, if the run was cut off, at once.
  func wake(after run: ActiveRun) {
    let end = run.end
    if case .unknown(let end) = end, end.isRepeated {
      wake(at: end.next)
    } else if case .cutOff = end {
      wake()
    } else if run.claim.asked != nil {
      wake()
    } else if let next = run.plannedEnd.next {
      wake(at: next)
    }
  }
}
