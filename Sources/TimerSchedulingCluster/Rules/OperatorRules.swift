extension PauseRequest {
  package var query: RowQuery { RowQuery(jobs: job.map { [$0] } ?? [], hasPauses: job == nil) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    let now = rows.now
    guard let job else {
      let old = try rows.allPauses().first { $0.handler == handler }
      guard (old.map { $0.ended == nil } ?? false) != isPaused else { return Answer(found: true) }
      var pause = isPaused ? nil : old
      pause?.ended = now
      rows.save(pause ?? ClusterPause(handler: handler, began: now, by: by, reason: reason))
      return Answer(found: true)
    }
    guard var row = try rows.knownJob(job) else { return Answer(found: false) }
    if row.job.isPaused != isPaused {
      row.setPaused(self, now: now)
      rows.save(row)
    }
    return Answer(found: true)
  }
}

extension PausesRequest {
  package var query: RowQuery { RowQuery(hasPauses: true) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    let pauses = try rows.allPauses().filter { $0.ended == nil }
    return Answer(pauses: pauses.sorted { $0.handler ?? "" < $1.handler ?? "" })
  }
}

extension BacklogsRequest {
  package var query: RowQuery { RowQuery(hasPauses: true, hasBacklogs: true) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    let pauses = try rows.allPauses().filter { $0.ended == nil }
    let backlogs = rows.backlogs.map { backlog in
      var backlog = backlog
      backlog.isPaused = pauses.contains { $0.concerns(backlog.handler) }
      return backlog
    }
    return Answer(backlogs: backlogs.sorted { $0.handler < $1.handler })
  }
}

extension AskRequest {
  package var query: RowQuery { RowQuery(jobs: [job]) }

  package func perform(on rows: inout RowSet) throws -> PauseRequest.Answer {
    guard var row = try rows.knownJob(job) else { return .init(found: false) }
    let now = rows.now
    if let date = row.onlyDate, (from ?? date, through ?? date) == (date, date) {
      if date > now { _ = try row.putForNow.put(on: &rows) }
    } else {
      row.ask(AskedRange(id: try rows.nextToken(), from: from ?? now, through: through ?? now), now: now)
      rows.save(row)
    }
    return .init(found: true)
  }
}

extension RetryRequest {
  package var query: RowQuery { RowQuery(jobs: [job]) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    guard var row = try rows.knownJob(job, in: state) else { return Answer(found: false, isRetried: false) }
    let now = rows.now
    let isRetried = try row.beginRetry(now: now) { try rows.nextToken() }
    rows.save(row)
    return Answer(found: true, isRetried: isRetried)
  }
}

extension WithdrawalRequest {
  package var query: RowQuery { RowQuery(jobs: [job]) }

  package func perform(on rows: inout RowSet) throws -> PauseRequest.Answer {
    guard var row = try rows.knownJob(job) else { return .init(found: false) }
    row.withdraw(now: rows.now)
    rows.save(row)
    return .init(found: true)
  }
}

extension CancelRequest {
  package var query: RowQuery { RowQuery(jobs: [job]) }

  package func perform(on rows: inout RowSet) throws -> PauseRequest.Answer {
    guard var row = try rows.job(job) else { return .init(found: false) }
    if row.holder?.session != nil {
      row.cancelledBy = row.cancelledBy ?? by
    } else if let end = row.givenUpRetry(by: by) {
      if let job = try row.givenUp(by: end) { _ = try job.put(on: &rows) }
      row.end(end, now: rows.now)
      try rows.update(end.token) { ($0.record.outcome, $0.record.failure) = (.failed, end.failure) }
    } else {
      return .init(found: false)
    }
    rows.save(row)
    return .init(found: true)
  }
}

extension DateRequest {
  package var query: RowQuery { RowQuery(jobs: [job], served: [job], hasPauses: true, explained: self) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    let pauses = try rows.allPauses()
    let row = try rows.knownJob(job).map { known in
      var row = known
      _ = row.leaveOut(pauses)
      let pause = row.job.isPaused ? nil : pauses.first { $0.ended == nil && $0.concerns(row.job.handler) }
      return Row(
        schedule: row.job.schedule, from: row.from, until: row.until, nextDate: row.job.nextTime,
        isPaused: row.job.isPaused || pause != nil, pausedBy: pause?.by ?? row.job.pausedBy,
        pauseReason: pause?.reason ?? row.job.pauseReason, skipped: row.skipped, asked: row.asked,
        isServed: try rows.isServed(row, by: row.job.schedule))
    }
    return Answer(now: rows.now, row: row, runs: rows.explained ?? [])
  }
}
