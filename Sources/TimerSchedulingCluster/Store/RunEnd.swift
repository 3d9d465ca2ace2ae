/// The end of a run: what became of its range.
package struct RunEnd: Sendable, Hashable, Codable {
  package enum Outcome: String, Sendable, Hashable, Codable {
    /// The action has returned.
    case done
    /// The action has thrown an error.
    case failed
    /// The action wasn't run, as the range has no date, or its attempts are used up.
    case settled
    /// The action is to be run again for the same range.
    case retried
    /// The action is to be run again for the same range, and this run doesn't count as an attempt.
    case postponed
    /// The action wasn't run, and another replica may run it.
    case released
  }

  package var token: Int64
  package var outcome: Outcome
  /// The date for which the action was run. Nil if it wasn't.
  package var date: StoreTime?
  /// The last moment for which the run accounts.
  package var through: StoreTime
  /// The moment at which the row is due again. Nil if it never is.
  package var next: StoreTime?
  /// The text of the schedule that says so. If the row has another one now, it is due at once.
  package var schedule: String
  /// The number of dates up to `through` that weren't run.
  package var missed: Int
  /// These dates, and the date of the run if its attempts are used up, with their reasons.
  package var skipped: [SkippedDates] = []
  package var failure: String?
  /// The number of the requested range that this run served. Nil if the schedule made the run due.
  package var asked: Int64?
  /// The handler of the job to put if the date is given up for good.
  package var ifGivenUp: String?
  /// The moment at which the rest of that range begins. Nil if the range is finished.
  package var askedRest: StoreTime?

  package init(
    token: Int64, outcome: Outcome, date: StoreTime? = nil, through: StoreTime, next: StoreTime? = nil,
    schedule: String, missed: Int, failure: String? = nil
  ) {
    (self.token, self.outcome, self.date, self.through) = (token, outcome, date, through)
    (self.next, self.schedule, self.missed, self.failure) = (next, schedule, missed, failure)
  }

  var isRepeated: Bool { outcome == .retried || outcome == .postponed }

  /// The date that is given up without a run, as its attempts are used up or it is too old.
  /// Twin: `timers.abandoned_date_2`.
  var abandonedDate: StoreTime? {
    guard outcome == .settled, let last = skipped.last else { return nil }
    return [.attemptsUsedUp, .tooOld].contains(last.reason) ? last.last : nil
  }

  /// The name of the job to put if the date is given up for good.
  var givenUpName: String? { ifGivenUp.map { "\($0) \(token)" } }

  /// The end of a failed run whose next attempt is given up. Its next date isn't known, so the job is due at
  /// once.
  var withoutRetry: RunEnd {
    var end = self
    (end.outcome, end.next, end.schedule, end.skipped) = (.failed, nil, "", [])
    return end
  }

  /// The end of a run that is left to other replicas before it has begun.
  package init(releasing claim: ClaimedRun) {
    self.init(
      token: claim.token, outcome: .released, through: claim.until, schedule: claim.schedule, missed: 0)
  }
}

/// A request to end runs, each by its token.
package struct EndRequest: RowCall, Hashable {
  package static let name = "end"

  package var ends: [RunEnd]
  /// Whether to wait for rows that other transactions have locked.
  package var waits: Bool

  package init(_ ends: [RunEnd], waits: Bool = false) { (self.ends, self.waits) = (ends, waits) }

  package var query: RowQuery {
    let givenUp = ends.filter { [.failed, .settled].contains($0.outcome) }.compactMap(\.givenUpName)
    return RowQuery(jobs: Set(givenUp), tokens: Set(ends.map(\.token)))
  }

  package func perform(on rows: inout RowSet) throws -> EndAnswer {
    var answer = EndAnswer(now: rows.now, verdicts: [])
    for end in ends { answer.verdicts.append(try perform(end, on: &rows)) }
    answer.next = try next(in: rows)
    return answer
  }

  /// Says when to claim next. A row that was released is for others.
  /// Twin: `timers.end_2`.
  private func next(in rows: RowSet) throws -> StoreTime? {
    let names = try ends.filter { $0.outcome != .released }.compactMap { try rows.run($0.token)?.record.job }
    let free = try names.compactMap { try rows.job($0) }.filter { $0.holder == nil && !$0.job.isPaused }
    return free.compactMap(\.job.nextTime).min()
  }

  /// Twin: `timers.first_ends_2`.
  private func perform(_ end: RunEnd, on rows: inout RowSet) throws -> EndAnswer.Verdict {
    let now = rows.now
    guard var row = try rows.job(heldBy: end.token) else {
      let run = try rows.run(end.token)
      let isOver = run.map { $0.isHidden || [.done, .failed, .postponed].contains($0.record.outcome) }
      return isOver ?? false ? .before : .refused
    }
    var end = end
    if end.isRepeated, row.cancelledBy != nil || row.hasWithdrawn(end) || row.isOutdated {
      // Its next moment isn't a date, so the job is due at once.
      (end.outcome, end.schedule) = (.failed, "")
      // A request that is withdrawn, and a date of an earlier put, aren't given up.
      if row.cancelledBy == nil { end.ifGivenUp = nil }
    }
    if let job = try row.givenUp(by: end) { _ = try job.put(on: &rows) }
    row.end(end, now: now)
    if row.isRemoved { rows.removeJob(row.job.name) } else { rows.save(row) }
    try rows.update(end.token) { run in
      run.isHidden = end.outcome == .settled || end.outcome == .released
      run.record.outcome = end.outcome == .done ? .done : end.outcome == .postponed ? .postponed : .failed
      (run.record.endedTime, run.record.failure, run.record.missedCount) = (now, end.failure, end.missed)
      // A hidden run has a date if the date's attempts are used up.
      run.record.scheduledTime = run.isHidden ? end.abandonedDate : end.date ?? run.record.scheduledTime
      run.record.isAsked = end.asked != nil
      run.record.through = end.through
      if end.outcome == .released { (run.record.from, run.record.through) = (nil, nil) }
      run.record.skipped += end.skipped
    }
    return .written
  }
}

package struct EndAnswer: Sendable, Hashable, Codable {
  package enum Verdict: String, Sendable, Hashable, Codable {
    /// The end was written.
    case written
    /// An end of the run was written before.
    case before
    /// The run was taken over, and nothing was written.
    case refused
    /// Another transaction has locked the row, and nothing was written. The end is to be sent again.
    case locked
  }

  package var now: StoreTime
  /// A verdict for each end, in their order.
  package var verdicts: [Verdict]
  /// When the first of the jobs is due again. Nil if none is.
  package var next: StoreTime?
}
