import TimerScheduling

typealias ClusterAction = @isolated(any) @Sendable (ClusterRun) async throws -> Void

/// The code for rows that a replica has claimed: of one job of the program, or of a handler for jobs that were put.
protocol RunDriver: AnyObject, Sendable {
  var policy: RunPolicy { get }

  /// Returns the end of a run if its action returns, or if it has no date to run.
  func plannedEnd(of claim: ClaimedRun) -> RunEnd

  /// Has the action run for a row.
  func deliver(_ run: ActiveRun)
}

extension ClusterReplica {
  /// Runs an action, and reports the end of its run. Throws the action's error, or that of the report.
  func complete(_ run: ActiveRun, _ action: @escaping ClusterAction) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await run.perform(action)) } catch { result = .failure(error) }
    switch run.end {
    case .known: release(run)
    case .unknown(let end):
      // In a timer of its own, as that of the run may be cancelled.
      let failure = Lock<(any Error)?>(nil)
      let reporting = companion.schedule(.after(.zero)) { [self] _ in
        let error = await report(end, of: run)
        failure.withLock { $0 = error }
      }
      await reporting.waitUntilFinished()
      if let error = failure.withLock(\.self) { throw error }
    case .cutOff: giveUp(run)
    }
    try result.get()
  }

  /// Has the replica claim the row of a run that is over: at its next date or, if the run was cut off, at once.
  func wake(after run: ActiveRun) {
    let end = run.end
    if case .unknown(let end) = end, end.outcome == .retried {
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
