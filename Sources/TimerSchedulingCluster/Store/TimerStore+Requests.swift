import TimerScheduling
package import TimerSchedulingFoundation

/// The requests to a store.
extension TimerStore {
  /// Makes a session or renews it, and says which jobs its replica has, with the texts of their schedules.
  ///
  /// A declared job that the store doesn't know gets a row, which is due at once. One with another schedule gets the new
  /// one: it is due at once, and the new schedule isn't run for dates up to now. Nothing happens if the session is over.
  package func register(_ registration: SessionRegistration) async throws -> SessionAnswer {
    try await answer(registration)
  }

  /// Claims rows that are due.
  ///
  /// A claim with the number of the session's last one gets the same rows, and one with a lower number gets none.
  /// Otherwise the store first ends the sessions whose leases have ended. Then it takes rows whose schedules are those
  /// of the session: free ones that are due, and those of sessions that are over. It doesn't wait for locks.
  package func claim(_ request: ClaimRequest) async throws -> ClaimAnswer { try await answer(request) }

  /// Ends runs, each by its token. A run that another replica has taken over is refused, and nothing of it is written.
  package func end(_ ends: [RunEnd]) async throws -> EndAnswer { try await answer(EndRequest(ends)) }

  /// Renews the lease of a session, unless it is over, and returns the tokens of the rows that it holds.
  package func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer {
    try await answer(SessionRenewal(session: session, lease: lease.wholeMicroseconds, givesUp: givenUp))
  }

  /// Ends a session. Others may take the rows that it holds.
  package func close(session: UUID) async throws { _ = try await answer(SessionClosing(session: session)) }

  /// Returns the first jobs whose names come after another and contain a text, sorted by name.
  package func jobs(
    matching part: String = "", after name: String? = nil, limit: Int = Int(Int32.max)
  ) async throws -> [ClusterJob] {
    try await answer(JobsRequest(matching: part, after: name, limit: limit)).jobs
  }

  /// Returns the newest runs of one job or of all, newest first.
  package func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    try await answer(HistoryRequest(job: job, limit: limit)).runs
  }

  /// Deletes runs that began before a moment and have ended, some at a time. Returns their number.
  @discardableResult
  package func removeHistory(before time: StoreTime) async throws -> Int {
    let slice = HistoryRemoval(before: time)
    var sum = 0
    while true {
      let count = try await answer(slice).count
      sum += count
      if count < slice.limit { return sum }
    }
  }
}
