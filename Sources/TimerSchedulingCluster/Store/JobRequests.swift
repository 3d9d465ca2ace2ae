/// A request to pause a job for all replicas, or to resume it. Dates that pass during a pause aren't run.
package struct PauseRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    /// Whether there is such a job.
    package var found: Bool
  }
  package static let name = "pause"

  package var job: String
  package var isPaused: Bool

  package init(job: String, isPaused: Bool) { (self.job, self.isPaused) = (job, isPaused) }
}

/// A request for all jobs, sorted by name.
package struct JobsRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var jobs: [ClusterJob]
  }
  package static let name = "jobs"
}

/// A request for the newest runs of one job or of all, newest first.
package struct HistoryRequest: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var runs: [ClusterRunRecord]
  }
  package static let name = "history"

  package var job: String?
  package var limit: Int
}

/// A request to delete the records of runs that began before a moment and have ended.
package struct HistoryRemoval: StoreCall, Hashable {
  package struct Answer: Sendable, Codable {
    package var count: Int
  }
  package static let name = "remove_history"

  package var before: StoreTime
}
