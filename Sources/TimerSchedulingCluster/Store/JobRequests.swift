/// A request to pause a job for all replicas, the jobs of a handler, or all jobs, or to resume them.
///
/// Dates that pass during a pause aren't run, but a job that was put for one date is run for it when it is resumed. A pause
/// of a handler or of the cluster is one row, and a job that is paused by itself stays paused when it ends.
package struct PauseRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// Whether there is such a job.
    package var found: Bool
  }
  package static let name = "pause"

  /// The job. Nil for all of a handler, or of the cluster.
  package var job: String?
  /// The handler. Nil for a job, or for the cluster.
  package var handler: String?
  package var isPaused: Bool
  package var by = ""
  package var reason = ""

  package init(
    job: String? = nil, handler: String? = nil, isPaused: Bool, by: String = "", reason: String = ""
  ) {
    (self.job, self.handler, self.isPaused, self.by, self.reason) = (job, handler, isPaused, by, reason)
  }
}

/// A request for the pauses of handlers and of the cluster that are under way. That of the cluster comes first.
package struct PausesRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var pauses: [ClusterPause]
  }
  package static let name = "pauses"
  package static let isRead = true

  package init() {}
}

/// A request to run a job besides its dates: now, or for the dates of its schedule from one moment through another.
package struct AskRequest: StoreCall, Hashable {
  package typealias Answer = PauseRequest.Answer
  package static let name = "ask"

  package var job: String
  /// The first and the last moment. Nil for now. If they are equal, the job is run for that moment.
  package var from: StoreTime?
  package var through: StoreTime?

  package init(job: String, from: StoreTime? = nil, through: StoreTime? = nil) {
    (self.job, self.from, self.through) = (job, from, through)
  }
}

/// A request to begin the attempt of a job that waits, or a job that has failed for good anew, for its last date.
package struct RetryRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// Whether there is such a job.
    package var found: Bool
    /// Whether it has an attempt to begin.
    package var isRetried: Bool
  }
  package static let name = "retry"

  package var job: String

  package init(job: String) { self.job = job }
}

/// A request to withdraw what operators have asked for. A run under way goes on. An attempt that waits is given up if it is
/// for what was asked for.
package struct WithdrawalRequest: StoreCall, Hashable {
  package typealias Answer = PauseRequest.Answer
  package static let name = "withdraw"

  package var job: String

  package init(job: String) { self.job = job }
}

/// A request to cancel the run of a job, on whichever replica it is, or to give up its attempt that waits. The answer says
/// whether there is one.
package struct CancelRequest: StoreCall, Hashable {
  package typealias Answer = PauseRequest.Answer
  package static let name = "cancel"

  package var job: String
  package var by: String

  package init(job: String, by: String) { (self.job, self.by) = (job, by) }
}

/// A request to put jobs. Jobs of those names get the handlers, the schedules and the payloads.
///
/// A new job, and one with a changed schedule, is due at once, but not for dates up to now. A run under way goes on. A job
/// with one date is run for it, also if it has passed, or for the first moment that isn't accounted for if that is later.
/// If the program of a live replica serves one of the jobs, nothing is put.
package struct PutRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// The first job that the program of a live replica serves. Then nothing was put.
    package var served: String?
  }
  package static let name = "put"

  package struct Job: Sendable, Hashable, Codable {
    package var job: String
    /// The handler. Empty for a job of the program.
    package var handler: String
    /// The text of the schedule. Empty for a job with one date, whose text the store writes.
    package var schedule = ""
    package var payload: String
    /// The only date.
    package var date: StoreTime?
    /// The microseconds from the store's time to the only date.
    package var delay: Int64?
  }

  /// The jobs, which are put one after another.
  package var jobs: [Job]

  init(_ jobs: [Job]) { self.jobs = jobs }

  package init(job: String, handler: String = "", schedule: String, payload: String = "") {
    jobs = [Job(job: job, handler: handler, schedule: schedule, payload: payload)]
  }

  package init(job: String, handler: String, date: StoreTime, payload: String = "") {
    jobs = [Job(job: job, handler: handler, payload: payload, date: date)]
  }

  package init(job: String, handler: String, delay: Duration, payload: String = "") {
    jobs = [Job(job: job, handler: handler, payload: payload, delay: delay.wholeMicroseconds)]
  }
}

/// A request to remove a job. If a run is under way, the job goes with the run. A job that the program of a live replica
/// serves isn't removed.
package struct RemovalRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// Whether there is such a job.
    package var found: Bool
    /// Whether the program of a live replica serves it.
    package var isServed = false
  }
  package static let name = "remove"

  package var job: String

  package init(job: String) { self.job = job }
}

/// A request for the jobs whose names come after another and contain a text, sorted by name.
package struct JobsRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var jobs: [ClusterJob]
  }
  package static let name = "jobs"

  package static let isRead = true

  /// The text. The case of the letters A to Z doesn't matter.
  package var matching = ""
  /// The name after which the jobs begin.
  package var after: String?
  package var limit = Int(Int32.max)
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

/// A request to delete the oldest records of runs that have ended: of those that began before a moment, and of those
/// beyond a number. The answer is how many were deleted.
package struct HistoryRemoval: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var count: Int
  }
  package static let name = "remove_history"

  package var before: StoreTime?
  package var keeping: Int?
  /// The greatest number of records to delete.
  package var limit: Int

  package init(before: StoreTime? = nil, keeping: Int? = nil, limit: Int = 1_000) {
    (self.before, self.keeping, self.limit) = (before, keeping, limit)
  }
}
