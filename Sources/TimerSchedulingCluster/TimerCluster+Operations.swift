#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerCluster {
  /// Pauses a job for all replicas. A run under way continues.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, or the store's error.
  public func pause(_ name: String) async throws {
    guard try await store.setPaused(true, job: name) else { throw ClusterError.unknownJob(name) }
  }

  /// Resumes a paused job for all replicas. Dates that passed meanwhile are neither run nor counted as missed.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, or the store's error.
  public func resume(_ name: String) async throws {
    guard try await store.setPaused(false, job: name) else { throw ClusterError.unknownJob(name) }
  }

  /// Returns all jobs of the store, sorted by name: last and next date, the run under way, missed and abandoned
  /// counts.
  public func jobs() async throws -> [ClusterJob] {
    try await store.jobs().map { job in
      var job = job
      if job.nextDate == .never { job.nextDate = nil }
      return job
    }
  }

  /// Returns the newest runs, newest first.
  ///
  /// - Parameters:
  ///   - name: The name of the job, or nil for all jobs.
  ///   - limit: The largest number of runs.
  /// - Precondition: `limit` isn't negative.
  public func history(of name: String? = nil, limit: Int = 100) async throws -> [ClusterRunRecord] {
    precondition(limit >= 0, "A history has zero runs or more, but \(limit) was given.")
    return try await store.history(of: name, limit: limit)
  }

  /// Deletes the records of runs that began before a date and have ended. Records are never deleted otherwise.
  ///
  /// - Returns: The number of deleted records.
  @discardableResult
  public func removeHistory(before date: Date) async throws -> Int {
    try await store.removeHistory(before: StoreTime(date))
  }
}
