#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store through which the replicas of a cluster agree which of them runs which date.
///
/// The store has a row for each job, with the moment from which it is due, and one for each session of a replica, with
/// the end of its lease. A claim takes rows that are due: it fixes the moments that a row's run is to account for, its
/// range. The replica runs one date of the range, and its end says up to which moment the row is settled, and when it
/// is due again. The store knows no schedules, only their texts.
///
/// Each method is one atomic step, judged by the store's own clock, which must be the same for all replicas. A method
/// that throws may still have taken effect, if only its answer was lost. `TimerStoreContract`, of the product
/// `TimerSchedulingTesting`, checks a store of your own. All requests and answers can be encoded, so that a store may
/// pass them on as JSON.
public protocol TimerStore: Sendable {
  /// Makes a session or renews it, and says which jobs its replica has, with the texts of their schedules.
  ///
  /// A declared job that the store doesn't know gets a row, which is due at once. One with another schedule gets the new
  /// one: it is due at once, and the new schedule isn't run for dates up to now. Nothing happens if the session is over.
  func register(_ registration: SessionRegistration) async throws -> SessionAnswer

  /// Claims rows that are due.
  ///
  /// A claim with the number of the session's last one gets the same rows, and one with a lower number gets none.
  /// Otherwise the store first ends the sessions whose leases have ended. Then it takes rows whose schedules are those
  /// of the session: free ones that are due, and those of sessions that are over. It doesn't wait for locks.
  func claim(_ request: ClaimRequest) async throws -> ClaimAnswer

  /// Ends runs, each by its token. A run that another replica has taken over is refused, and nothing of it is written.
  func end(_ ends: [RunEnd]) async throws -> EndAnswer

  /// Renews the lease of a session, unless it is over, and returns the tokens of the rows that it holds.
  ///
  /// - Parameters:
  ///   - session: The identifier of the session.
  ///   - lease: The time until the session is over if it isn't renewed again.
  ///   - givenUp: Tokens of rows that the session gives up first, as if it were over.
  func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer

  /// Ends a session. Others may take the rows that it holds.
  func close(session: UUID) async throws

  /// Pauses a job for all replicas, or resumes it. Dates that pass during a pause aren't run.
  ///
  /// Returns false if there is no such job.
  func setPaused(_ isPaused: Bool, job: String) async throws -> Bool

  /// Returns all jobs, sorted by name.
  func jobs() async throws -> [ClusterJob]

  /// Returns the newest runs of one job or of all, newest first.
  func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord]

  /// Deletes runs that began before a moment and have ended. Returns their number.
  @discardableResult
  func removeHistory(before time: StoreTime) async throws -> Int
}

/// A store in an SQL database, where ``ClusterRun/finish(_:)`` ends a run within a transaction of the program's.
///
/// A store that passes each call on to another should conform if the other does: of a store that only is a
/// ``TimerStore``, `finish` ends the run outside of the transaction.
public protocol SQLTimerStore: TimerStore {
  /// Returns the statement that ends a run, with its parameters as text, nil for NULL.
  ///
  /// Its result is one row with one column, the text of an ``EndAnswer/Verdict``.
  func statement(for end: RunEnd) throws -> (sql: String, parameters: [String?])
}
