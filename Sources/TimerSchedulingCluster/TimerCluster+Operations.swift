#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerCluster {
  /// Pauses a job for all replicas. A run under way goes on.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, or what the store throws.
  public func pause(_ name: String) async throws {
    guard try await store.setPaused(true, job: name) else { throw ClusterError.unknownJob(name) }
  }

  /// Lets a paused job go on, for all replicas. Dates that passed meanwhile are neither run nor counted as missed.
  ///
  /// - Throws: ``ClusterError/unknownJob(_:)``, or what the store throws.
  public func resume(_ name: String) async throws {
    guard try await store.setPaused(false, job: name) else { throw ClusterError.unknownJob(name) }
  }

  /// All jobs of the store, by their names: last and next date, the run under way, what was missed and abandoned.
  public func jobs() async throws -> [ClusterJob] { try await store.jobs() }

  /// The newest runs, the newest first.
  ///
  /// - Parameters:
  ///   - name: The job, nil for all jobs.
  ///   - limit: The number of runs at most.
  /// - Precondition: `limit` isn't negative.
  public func history(of name: String? = nil, limit: Int = 100) async throws -> [ClusterRunRecord] {
    precondition(limit >= 0, "A history has zero runs or more, but \(limit) was given.")
    return try await store.history(of: name, limit: limit)
  }

  /// Deletes the records of runs that began before a date and have ended. Nothing else deletes them.
  ///
  /// - Returns: The number of records.
  @discardableResult
  public func removeHistory(before date: Date) async throws -> Int {
    try await store.removeHistory(before: StoreTime(date))
  }
}
