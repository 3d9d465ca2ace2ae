extension EndRequest {
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

extension StepRequest {
  package var query: RowQuery { RowQuery(tokens: [token]) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    guard var row = try rows.job(heldBy: token) else { return Answer(verdict: .refused) }
    var steps = row.steps ?? [:]
    if let known = steps[step] { return Answer(verdict: .before, value: known) }
    guard let value else { return Answer(verdict: .written) }
    steps[step] = value
    if steps.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > Self.limit {
      return Answer(verdict: .tooLarge)
    }
    row.steps = steps
    rows.save(row)
    return Answer(verdict: .written)
  }
}
