import TimerScheduling

/// A request to put jobs. Jobs of those names get the handlers, the schedules and the payloads. A new job,
/// and one with a changed schedule, is due at once, but not for dates up to now. A run under way goes on. A
/// job with one date is run for it, also if it has passed. If that has a record or lies before the end of an
/// open range, the first moment after these takes its place. If the program of a live replica serves one of
/// the jobs, nothing is put.
package struct PutRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// The first job that the program of a live replica serves. Then nothing was put.
    package var served: String?
    /// Whether each job was put.
    package var isPut = true
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
    package var key: String?
    package var options: JobOptions?
    /// Not nil if nothing is put while the job is known, or a run of it has begun within these microseconds.
    package var unless: Int64?

    package init(job: String, handler: String, payload: String, delay: Int64? = nil) {
      (self.job, self.handler, self.payload, self.delay) = (job, handler, payload, delay)
    }
  }

  package var jobs: [Job]

  package init(_ jobs: [Job]) { self.jobs = jobs }

  package init(
    job: String, handler: String, schedule: String = "", date: StoreTime? = nil, delay: Duration? = nil,
    payload: String = ""
  ) {
    var one = Job(job: job, handler: handler, payload: payload, delay: delay?.wholeMicroseconds)
    (one.schedule, one.date) = (schedule, date)
    jobs = [one]
  }
}

/// A request to remove a job, if it is in a state, unless the program of a live replica serves it. It goes
/// with a run under way.
package struct RemovalRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var found: Bool
    /// Whether the program of a live replica serves it.
    package var isServed = false
  }
  package static let name = "remove"

  package var job: String
  package var state: ClusterJob.State?

  package init(job: String, state: ClusterJob.State? = nil) { (self.job, self.state) = (job, state) }
}

/// A request for the first jobs by name, after a name, whose names contain a text, in any case of A to Z, of
/// a handler and in a state.
package struct JobsRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var jobs: [ClusterJob]
  }
  package static let name = "jobs"
  package static let isRead = true

  package var matching = ""
  package var after: String?
  package var limit: Int
  package var handler: String?
  package var state: ClusterJob.State?
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
}

/// A request to delete the oldest records of ended runs: of those begun before a moment or beyond a number.
/// Those of failed and abandoned runs may have a moment of their own, and then no number.
package struct HistoryRemoval: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var count: Int
  }
  package static let name = "remove_history"

  package var before, failedBefore: StoreTime?
  package var keeping: Int?
  package var limit: Int

  package init(
    before: StoreTime? = nil, failedBefore: StoreTime? = nil, keeping: Int? = nil, limit: Int = 1_000
  ) {
    (self.before, self.failedBefore, self.keeping, self.limit) = (before, failedBefore, keeping, limit)
  }
}
