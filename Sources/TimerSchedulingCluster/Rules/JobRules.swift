import TimerScheduling

extension PutRequest.Job {
  /// Returns whether it was put.
  /// Twins: `timers.put_one_2`, `timers.at_text_2`.
  func put(on rows: inout RowSet) throws -> Bool {
    let now = rows.now
    let date = date ?? delay.map { now + .microseconds($0) }
    let known = try rows.job(job)
    if let unless {
      if known?.isKnown ?? false { return false }
      if let begun = try rows.lastBegun(of: job), now - begun < .microseconds(unless) { return false }
    }
    if var row = known, let date = self.date, row.isPut(for: self, at: date) {
      row.set(self)
      rows.save(row)
      return true
    }
    var row = try known ?? JobRow(name: job, schedule: schedule, since: date, in: rows)
    let owed = try date.map { try row.owe($0, in: rows) }
    let schedule = owed.map { TimerSchedule.at($0.date).description } ?? schedule
    if known == nil {
      row.job.schedule = schedule
      if let owed { row.job.nextTime = owed }
    } else if row.isRemoved || row.job.schedule != schedule || owed != nil && !row.isKnown {
      row.setSchedule(schedule, now: now, owed: owed)
    } else if row.job.handler != handler {
      row.job.nextTime = row.job.nextTime.map { min($0, now) }
    }
    if row.isRemoved { row.restore() }
    row.set(self)
    row.giveUpOutdatedRetry(now: now)
    rows.save(row)
    return true
  }
}

extension PutRequest {
  package var query: RowQuery {
    let names = Set(jobs.map(\.job))
    return RowQuery(jobs: names, served: names)
  }

  package func perform(on rows: inout RowSet) throws -> Answer {
    for job in jobs {
      if let known = try rows.job(job.job), try rows.isServed(known) {
        return Answer(served: job.job, isPut: false)
      }
    }
    var answer = Answer()
    for job in jobs where try !job.put(on: &rows) { answer.isPut = false }
    return answer
  }
}

extension RemovalRequest {
  package var query: RowQuery { RowQuery(jobs: [job], served: [job]) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    guard var row = try rows.knownJob(job, in: state) else { return Answer(found: false) }
    if try rows.isServed(row) { return Answer(found: true, isServed: true) }
    if row.holder == nil {
      rows.removeJob(job)
    } else {
      row.isRemoved = true
      rows.save(row)
    }
    return Answer(found: true)
  }
}

extension JobsRequest {
  package var query: RowQuery { RowQuery(page: self) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    let now = rows.now
    return Answer(
      jobs: try rows.rows(of: rows.page ?? []).map { row in
        var job = row.job
        (job.retry, job.asked, job.isDue) = (row.retry, row.asked, job.nextTime.map { $0 <= now })
        job.run = try row.holder.map { holder in
          let session = try holder.session.flatMap { try rows.session($0) }
          let leaseEnd = session.map { $0.isOver ? now : $0.leaseEnd } ?? now
          return ClusterJob.Run(
            replica: holder.replica, token: holder.token, attempt: row.attempt, scheduledTime: holder.date,
            beganTime: holder.began, leaseMicroseconds: (leaseEnd - now).wholeMicroseconds)
        }
        return job
      })
  }
}

extension HistoryRequest {
  package func perform(on store: some RowStore) throws -> Answer {
    Answer(runs: try store.runs(of: job, limit: limit))
  }
}

extension HistoryRemoval {
  package func perform(on store: some RowStore) throws -> Answer { Answer(count: try store.removeRuns(self)) }
}
