import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerCluster {
  /// Pauses a job for all replicas. A run under way continues. Waits at most a lease for the store.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, `TimeoutError`, or the store's error.
  public func pause(_ name: String) async throws { try await setPaused(true, job: name) }

  /// Resumes a paused job for all replicas. Dates that passed meanwhile are neither run nor counted as missed. Waits at
  /// most a lease for the store.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, `TimeoutError`, or the store's error.
  public func resume(_ name: String) async throws { try await setPaused(false, job: name) }

  private func setPaused(_ isPaused: Bool, job name: String) async throws {
    let isKnown = try await withTimeout(lease, on: companion ?? .shared) { [store] in
      try await store.setPaused(isPaused, job: name)
    }
    if !isKnown { throw ClusterError.unknownJob(name) }
  }

  /// Returns the first jobs of the store whose names contain a text, sorted by name: last and next date, the run under
  /// way, missed and abandoned counts.
  ///
  /// - Parameters:
  ///   - part: The text, whose case doesn't matter. By default all jobs are returned.
  ///   - limit: The largest number of jobs.
  /// - Precondition: `limit` isn't negative.
  public func jobs(matching part: String = "", limit: Int = 1_000_000) async throws -> [ClusterJob] {
    precondition(limit >= 0, "A list has zero jobs or more, but \(limit) was given.")
    return try await store.jobs(matching: part, limit: limit)
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
