import TimerScheduling

/// A request to put jobs. Jobs of those names get the handlers, the schedules and the payloads. A new job,
/// and one with a changed schedule, is due at once, but not for dates up to now. A run under way goes on. A
/// job with one date is run for it, also if it has passed, or for the first moment that isn't accounted for
/// if that is later. If the program of a live replica serves one of the jobs, nothing is put.
package struct PutRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// The first job that the program of a live replica serves. Then nothing was put.
    package var served: String?
  }
  package static let name = "put"

  package struct Job: Sendable, Hashable, Codable {
    package var job: String
    package var handler: String
    /// The text of the schedule. Empty for a job with one date, whose text the store writes.
    package var schedule = ""
    package var payload: String
    /// The only date, or the microseconds from the store's time to it.
    package var date: StoreTime?
    package var delay: Int64?

    /// Twins: `timers.put_one_2`, `timers.at_text_2`.
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

  package var jobs: [Job]

  init(_ jobs: [Job]) { self.jobs = jobs }

  package init(
    job: String, handler: String, schedule: String = "", date: StoreTime? = nil, delay: Duration? = nil,
    payload: String = ""
  ) {
    let delay = delay?.wholeMicroseconds
    jobs = [Job(job: job, handler: handler, schedule: schedule, payload: payload, date: date, delay: delay)]
  }

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

/// A request to remove a job, unless the program of a live replica serves it. It goes with a run under way.
package struct RemovalRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var found: Bool
    /// Whether the program of a live replica serves it.
    package var isServed = false
  }
  package static let name = "remove"

  package var job: String

  package init(job: String) { self.job = job }

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

/// A request for the first jobs by name, after a name, whose names contain a text, in any case of A to Z.
package struct JobsRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var jobs: [ClusterJob]
  }
  package static let name = "jobs"
  package static let isRead = true

  package var matching: String
  package var after: String?
  package var limit: Int

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
            replica: holder.replica, token: holder.token, attempt: row.attempt, scheduledTime: holder.date,
            beganTime: holder.began, leaseMicroseconds: (leaseEnd - now).wholeMicroseconds)
        }
        return job
      })
  }
}

/// A request for the newest runs of one job or of all, newest first.
package struct HistoryRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var runs: [ClusterRunRecord]
  }
  package static let name = "history"
  package static let isRead = true

  package var job: String?
  package var limit: Int

  package func perform(on tables: inout some StoreTables) throws -> Answer {
    Answer(runs: try tables.runs(of: job, limit: limit))
  }
}

/// A request to delete the oldest records of ended runs: of those begun before a moment or beyond a number.
package struct HistoryRemoval: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var count: Int
  }
  package static let name = "remove_history"

  package var before: StoreTime?
  package var keeping: Int?
  package var limit: Int

  package init(before: StoreTime? = nil, keeping: Int? = nil, limit: Int = 1_000) {
    (self.before, self.keeping, self.limit) = (before, keeping, limit)
  }

  package func perform(on tables: inout some StoreTables) throws -> Answer {
    Answer(count: try tables.removeRuns(before: before, keeping: keeping, limit: limit))
  }
}
