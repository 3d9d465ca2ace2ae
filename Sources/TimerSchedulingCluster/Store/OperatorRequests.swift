/// A request to pause a job, the jobs of a handler, or all jobs for all replicas, or to resume them. Dates
/// that pass meanwhile aren't run, but a job that was put for one date is run for it afterwards. A pause of a
/// handler or the cluster is one row, and a job that is paused by itself stays so when it ends.
package struct PauseRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// Whether there is such a job.
    package var found: Bool
  }
  package static let name = "pause"

  /// The job, or the handler. Neither for the whole cluster.
  package var job, handler: String?
  package var isPaused: Bool
  package var by = ""
  package var reason = ""

  package init(
    job: String? = nil, handler: String? = nil, isPaused: Bool, by: String = "", reason: String = ""
  ) {
    (self.job, self.handler, self.isPaused, self.by, self.reason) = (job, handler, isPaused, by, reason)
  }
}

/// A request for the pauses of handlers and of the cluster that are under way. That of the cluster comes
/// first.
package struct PausesRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var pauses: [ClusterPause]
  }
  package static let name = "pauses"
  package static let isRead = true

  package init() {}
}

/// A request for what is waiting, by handler.
package struct BacklogsRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var backlogs: [HandlerBacklog]
  }
  package static let name = "backlogs"
  package static let isRead = true

  package init() {}
}

/// A request to run a job besides its dates: now, or for the dates of its schedule in a range. A job that
/// waits for its only date is put for now instead.
package struct AskRequest: RowCall, Hashable {
  package static let name = "ask"

  package var job: String
  /// The first and the last moment. Nil for now. If they are equal, the job is run for that moment.
  package var from, through: StoreTime?

  package init(job: String, from: StoreTime? = nil, through: StoreTime? = nil) {
    (self.job, self.from, self.through) = (job, from, through)
  }
}

/// A request to begin the attempt of a job that waits, or a job that has failed for good anew, for its last
/// date.
package struct RetryRequest: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var found: Bool
    /// Whether it has an attempt to begin.
    package var isRetried: Bool
  }
  package static let name = "retry"

  package var job: String
  /// The state in which it must be. Nil for any.
  package var state: ClusterJob.State?

  package init(job: String, state: ClusterJob.State? = nil) { (self.job, self.state) = (job, state) }
}

/// A request to withdraw what operators have asked for, also an attempt that waits. A run under way goes on.
package struct WithdrawalRequest: RowCall, Hashable {
  package static let name = "withdraw"

  package var job: String

  package init(job: String) { self.job = job }
}

/// A request to cancel the run of a job, or to give up its attempt that waits. Says whether there is one.
package struct CancelRequest: RowCall, Hashable {
  package static let name = "cancel"

  package var job: String
  package var by: String

  package init(job: String, by: String) { (self.job, self.by) = (job, by) }
}
