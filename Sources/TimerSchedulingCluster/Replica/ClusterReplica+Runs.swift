import TimerScheduling
import TimerSchedulingFoundation

extension ClusterReplica {
  /// Gives rows to their jobs, and settles those whose range has no date to run. The rows are held before
  /// their dates are computed, as that calls the rules of schedules.
  func begin(_ claims: [ClaimedRun], asked: Duration, now: StoreTime) {
    guard !claims.isEmpty else { return }
    let runs = claims.map { ActiveRun($0, on: self) }
    let drivers = state.withLock { state in
      for run in runs { state.runs[run.claim.token] = run }
      confirmed(&state, at: asked)
      return claims.map { $0.handler.isEmpty ? state.jobs[$0.job] : state.handlers[$0.handler] }
    }
    for (run, driver) in zip(runs, drivers) {
      if let driver {
        let end = plannedEnd(of: run.claim, driver, now)
        run.plan(end, retryAfter: driver.code.wait(after: run.claim, on: companion))
      }
      if let driver, run.plannedEnd.date != nil { driver.deliver(run) } else { settle(run) }
    }
  }

  /// Returns the end of a run if its action returns, or if it has no date to run.
  private func plannedEnd(of claim: ClaimedRun, _ driver: RunDriver, _ now: StoreTime) -> RunEnd {
    do throws(ClusterError) {
      let dates =
        if let dates = driver.dates { dates } else {
          try ClusterDates(text: claim.schedule, catchUp: driver.code.catchUp)
        }
      state.withLock { $0.unreadable[claim.job] = nil }
      var end = dates.plannedEnd(of: claim, attempts: driver.code.attempts(of: claim), now: now)
      end.ifGivenUp = driver.code.ifGivenUp
      if end.ifGivenUp != nil, end.outcome == .settled {
        end.failure =
          claim.previousFailure ?? (claim.isLost ? "abandoned by its replica" : "not begun in time")
      }
      return end
    } catch {
      if leaveToOthers(claim) {
        report(.scheduleUnreadable(job: claim.job, schedule: claim.schedule, reason: error.reason))
      }
      return RunEnd(releasing: claim)
    }
  }

  /// Reports the end of a run without an action. Without another end, it is the one that was planned.
  func settle(_ run: ActiveRun, _ end: RunEnd? = nil) {
    let end = end ?? run.plannedEnd
    companion.makeTask { [self] in
      let (job, handler) = (run.claim.job, run.claim.handler)
      do {
        _ = try await report(end, of: run).get()
        guard let date = end.abandonedDate, let reason = end.skipped.last?.reason else { return }
        report(.dateGivenUp(job: job, handler: handler, date: date.date, reason: reason))
      } catch {
        if let error = error as? ClusterError { report(error) }
      }
    }
  }

  /// Ends a run whose action has returned. Throws the action's error, or that of the report.
  func finish(_ run: ActiveRun, _ end: ActiveRun.End, _ error: (any Error)?) async throws {
    if error is UnreadablePayload { leaveToOthers(run.claim) }
    switch end {
    case .known: release(run)
    case .cutOff: giveUp(run)
    case .unknown(let end):
      let verdict = try await companion.uncancelled { [self] in try await report(end, of: run).get() }
      // An error that comes after the transaction that has ended the run isn't the run's.
      if verdict == .before, run.hasEnded { return noteFailure(of: run, nil) }
      if end.outcome == .postponed { return }
      if end.outcome == .retried { run.noteRetry(at: end.next) }
    }
    noteFailure(of: run, error)
    if let error { throw error }
  }

  /// Leaves a job to other replicas for a minute, as a newer program may have put it. Returns false if it was
  /// left to them before, with the same schedule.
  @discardableResult
  private func leaveToOthers(_ claim: ClaimedRun) -> Bool {
    state.withLock { state in
      // A job that wasn't claimed again for an hour has gone to another replica, or was removed.
      state.unreadable = state.unreadable.filter { elapsed < $0.value.retry + .seconds(3_600) }
      let entry = (claim.schedule, elapsed + .seconds(60))
      return state.unreadable.updateValue(entry, forKey: claim.job)?.schedule != claim.schedule
    }
  }

  /// Reports the end of a run, and repeats that for a lease until the store answers. Returns its verdict, or
  /// the error if it has refused the end or hasn't answered.
  private func report(_ end: RunEnd, of run: ActiveRun) async -> Result<EndAnswer.Verdict, any Error> {
    var (end, wait, isAlone, mayBeWritten) = (end, min(lease / 20, .milliseconds(50)), false, false)
    let start = elapsed
    while true {
      do {
        let verdict = try await write(end, isAlone: isAlone).verdicts[0]
        if verdict == .locked { throw ClusterError.jobLocked(job: run.claim.job) }
        release(run)
        if verdict == .refused {
          return .failure(ClusterError.runTakenOver(job: run.claim.job, token: end.token))
        }
        // Else the program has ended the run before.
        return .success(mayBeWritten ? .written : verdict)
      } catch {
        // The answer to a request may have been lost. That of a locked row wasn't.
        mayBeWritten = mayBeWritten || !(error is ClusterError)
        // From here on the run counts as abandoned. The program may be waiting for this replica.
        if elapsed - start > lease {
          giveUp(run)
          return .failure(ClusterError.storeFailed(replica: name, underlying: error))
        }
        // The store may have refused another end of the same request.
        isAlone = !(error is TimeoutError)
      }
      // The database may be unable to hold some characters.
      end.failure = end.failure.map {
        $0.unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
      }
      do { try await companion.sleep(for: wait) } catch { return .failure(error) }
      wait = min(wait * 2, lease / 3)
    }
  }

  /// Has the store write an end, and returns its verdict.
  func write(_ end: RunEnd, isAlone: Bool = false) async throws -> EndAnswer {
    let answer = try await ends.send(end, isAlone: isAlone)
    claim(after: answer)
    return answer
  }

  /// Has the replica claim when the job of a run that has ended is due again: at its next date, or as others
  /// have put it meanwhile.
  func claim(after end: EndAnswer) { if let next = end.next { wake(at: next) } }

  /// Prints the first error of a job, as a run's timer has no name. The timer itself prints none.
  private func noteFailure(of run: ActiveRun, _ error: (any Error)?) {
    guard let error else {
      // Another job may be put under the name of one that is over.
      if run.plannedEnd.next == nil { state.withLock { _ = $0.failing.remove(run.claim.job) } }
      return
    }
    ActionRun.currentFailsAgain()
    let isFirst = state.withLock { state in
      // Bounds the memory. The next errors are printed again.
      if state.failing.count >= 1_000 { state.failing = [] }
      return state.failing.insert(run.claim.job).inserted
    }
    guard isFirst, printsFailures, !(error is CancellationError) else { return }
    let handler = run.claim.handler.isEmpty ? "" : " of the handler \"\(run.claim.handler)\""
    StandardError.printFailure(
      of: "A run of the job \"\(run.claim.job)\"\(handler)", error, "The job's later errors aren't printed.")
  }

  /// Notes that a thread has begun a run of a handler. Others may be claimed in its place.
  func noteBegin() {
    let isAwaited = state.withLock { state in
      defer { state.isShort = false }
      return state.isShort
    }
    if isAwaited { wake() }
  }

  /// Deletes some old records of runs, if there are limits: each minute, or each second while there are more.
  func tidy(at now: StoreTime) {
    let ages = (history.age, history.failedAge)
    guard ages != (nil, nil) || history.count != nil, elapsed >= state.withLock(\.tidied) else { return }
    state.withLock { $0.tidied = elapsed + .seconds(60) }
    let removal = HistoryRemoval(
      before: ages.0.map { now - $0 }, failedBefore: ages.1.map { now - $0 }, keeping: history.count)
    companion.makeTask { [weak self] in
      guard let self, let answer = try? await store.answer(removal) else { return }
      if answer.count == removal.limit { state.withLock { $0.tidied = self.elapsed + .seconds(1) } }
    }
  }
}
