import TimerScheduling

/// The rules of what operators change and ask. They never write the fields of a run.
extension PauseRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    let now = try tables.now
    guard let job else {
      let old = try tables.pauses().first { $0.handler == handler }
      guard (old.map { $0.ended == nil } ?? false) != isPaused else { return Answer(found: true) }
      var pause = isPaused ? nil : old
      pause?.ended = now
      try tables.save(pause ?? ClusterPause(handler: handler, began: now, by: by, reason: reason))
      return Answer(found: true)
    }
    guard var row = try tables.knownJob(job) else { return Answer(found: false) }
    if row.job.isPaused != isPaused {
      row.setPaused(self, now: now)
      try tables.save(row)
    }
    return Answer(found: true)
  }
}

extension PausesRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    let pauses = try tables.pauses().filter { $0.ended == nil }
    return Answer(pauses: pauses.sorted { $0.handler ?? "" < $1.handler ?? "" })
  }
}

extension AskRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    guard var row = try tables.knownJob(job) else { return Answer(found: false) }
    let now = try tables.now
    row.ask(
      AskedRange(id: try tables.nextToken(), from: from ?? now, through: through ?? now), now: now)
    try tables.save(row)
    return Answer(found: true)
  }
}

extension CancelRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    guard var row = try tables.job(job) else { return Answer(found: false) }
    if row.holder?.session != nil {
      row.cancelledBy = row.cancelledBy ?? by
    } else if let end = row.giveUpRetry(by: by, now: try tables.now) {
      try tables.update(end.token) { ($0.record.outcome, $0.record.failure) = (.failed, end.failure) }
    } else {
      return Answer(found: false)
    }
    try tables.save(row)
    return Answer(found: true)
  }
}

extension RetryRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    guard var row = try tables.knownJob(job) else { return Answer(found: false, isRetried: false) }
    let now = try tables.now
    let isRetried = try row.beginRetry(now: now) { try tables.nextToken() }
    try tables.save(row)
    return Answer(found: true, isRetried: isRetried)
  }
}

extension WithdrawalRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    guard var row = try tables.knownJob(job) else { return Answer(found: false) }
    row.withdraw(now: try tables.now)
    try tables.save(row)
    return Answer(found: true)
  }
}

extension PutRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    let now = try tables.now
    for job in jobs {
      if let known = try tables.job(job.job), try tables.isServed(known, at: now) {
        return Answer(served: job.job)
      }
    }
    for job in jobs { try job.put(on: &tables, now: now) }
    return Answer()
  }
}

extension PutRequest.Job {
  fileprivate func put(on tables: inout some StoreTables, now: StoreTime) throws {
    let date = date ?? delay.map { now + .microseconds($0) }
    let known = try tables.job(job)
    var row = try known ?? JobRow(name: job, schedule: schedule, now: now, since: date, in: tables)
    // Moments that a clock which was ahead has accounted for are owed again from now on.
    let first = known == nil ? row.job.nextTime : min(row.until?.next ?? row.from, now.next)
    let owed = date.map { max($0, first ?? $0) }
    let schedule = owed.map { TimerSchedule.at($0.date).description } ?? schedule
    if known == nil {
      row.job.schedule = schedule
    } else if row.isRemoved || row.job.schedule != schedule {
      row.setSchedule(schedule, now: now, owed: owed)
    } else if row.job.handler != handler {
      row.job.nextTime = row.job.nextTime.map { min($0, now) }
    }
    if row.isRemoved { row.restore() }
    row.set(handler: handler, payload: payload)
    row.giveUpOutdatedRetry(now: now)
    try tables.save(row)
  }
}

extension RemovalRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    guard var row = try tables.knownJob(job) else { return Answer(found: false) }
    if try tables.isServed(row, at: try tables.now) { return Answer(found: true, isServed: true) }
    if row.holder == nil {
      try tables.removeJob(job)
    } else {
      row.isRemoved = true
      try tables.save(row)
    }
    return Answer(found: true)
  }
}

extension JobsRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    let now = try tables.now
    return Answer(
      jobs: try tables.jobs(matching: matching, after: after, limit: limit).map { row in
        var job = row.job
        (job.retry, job.asked) = (row.retry, row.asked)
        job.run = try row.holder.map { holder in
          let session = try holder.session.flatMap { try tables.session($0) }
          let leaseEnd = session.map { $0.isOver ? now : $0.leaseEnd } ?? now
          return ClusterJob.Run(
            replica: holder.replica, scheduledDate: holder.date, token: holder.token, attempt: row.attempt,
            began: holder.began, leaseLeft: leaseEnd - now)
        }
        return job
      })
  }
}

extension HistoryRequest {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    Answer(runs: try tables.runs(of: job, limit: limit))
  }
}

extension HistoryRemoval {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    Answer(count: try tables.removeRuns(before: before, keeping: keeping, limit: limit))
  }
}
