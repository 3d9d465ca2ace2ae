/// The rules of the ends of runs.
extension EndRequest {
  package func perform(on tables: inout some StoreTables) throws -> EndAnswer {
    let now = try tables.now
    var answer = EndAnswer(now: now, verdicts: [])
    for end in ends { answer.verdicts.append(try perform(end, on: &tables, now: now)) }
    return answer
  }

  private func perform(
    _ end: RunEnd, on tables: inout some StoreTables, now: StoreTime
  ) throws -> EndAnswer.Verdict {
    guard var row = try tables.job(heldBy: end.token) else {
      let run = try tables.run(end.token)
      let hasEnded =
        run.map { $0.isHidden || [.done, .failed, .postponed].contains($0.record.outcome) } ?? false
      return hasEnded ? .before : .refused
    }
    var end = end
    if end.isRepeated, row.cancelledBy != nil || row.hasWithdrawn(end) || row.isOutdated {
      // Its next moment isn't a date, so the job is due at once.
      (end.outcome, end.schedule) = (.failed, "")
    }
    row.end(end, now: now)
    if row.isRemoved { try tables.removeJob(row.job.name) } else { try tables.save(row) }
    try tables.update(end.token) { run in
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
