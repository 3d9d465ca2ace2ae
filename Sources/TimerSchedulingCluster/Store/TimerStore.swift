/// Where the replicas of a cluster agree on who runs which date.
///
/// Each method is one atomic step, judged by the store's own clock, which every replica must see the same. A method that
/// throws may have taken effect: its answer was lost. ``TimerStoreContract`` checks a store of your own.
public protocol TimerStore: Sendable {
  /// Makes a job known, or leaves it as it is, and returns its cursor.
  ///
  /// The cursor of a new job is the present moment. If the fingerprint isn't the one the job has, the job gets it, and
  /// `knownSince` is the present moment: the new schedule owes no older date.
  func register(job: String, fingerprint: String) async throws -> JobRegistration

  /// Claims a date by compare-and-set on the job's cursor, and returns the verdict with the store's time.
  ///
  /// In this order: the same claim again gets the same answer, with a new lease; a live lease makes the job busy; a paused
  /// job is paused; a lease that has ended makes its run abandoned, which is claimed again while it has attempts left;
  /// another cursor has moved; a later date than the store's clock is early; otherwise the date is claimed.
  func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime)

  /// Renews the leases of runs, and returns the tokens of those that are still the caller's.
  func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (tokens: Set<Int64>, now: StoreTime)

  /// Ends a run, and returns whether the run was still the job's, or had ended before. If not, nothing is changed.
  func finish(job: String, token: Int64, failure: String?) async throws -> Bool

  /// The statement that ends a run within a transaction of the user's, or nil for a store without transactions.
  ///
  /// It has one row with one column, `t` or `true` if the run was still the job's.
  func finishStatement(job: String, token: Int64) -> SQLStatement?

  /// Pauses a job for all replicas, or lets it go on. Dates that pass meanwhile aren't owed.
  ///
  /// Returns false if there is no such job.
  func setPaused(_ isPaused: Bool, job: String) async throws -> Bool

  /// All jobs, by their names.
  func jobs() async throws -> [ClusterJob]

  /// The newest runs, of one job or of all, the newest first.
  func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord]

  /// Deletes runs that began before a moment and have ended. Returns their number.
  @discardableResult
  func removeHistory(before time: StoreTime) async throws -> Int
}

extension TimerStore {
  /// Nil, for stores without transactions.
  public func finishStatement(job: String, token: Int64) -> SQLStatement? { nil }
}

/// What a store knows of a job that a replica registers.
public struct JobRegistration: Sendable, Hashable {
  /// The last date that was claimed, or when the job became known.
  public var cursor: StoreTime
  /// Since when the schedule is known. No older date is owed.
  public var knownSince: StoreTime
  /// The store's time.
  public var now: StoreTime

  /// Creates a registration.
  public init(cursor: StoreTime, knownSince: StoreTime, now: StoreTime) {
    self.cursor = cursor
    self.knownSince = knownSince
    self.now = now
  }
}

/// A statement of SQL with its parameters `$1`, `$2`, …, as text.
public struct SQLStatement: Sendable, Hashable {
  /// The text of the statement.
  public var sql: String
  /// The parameters, nil for NULL.
  public var parameters: [String?]

  /// Creates a statement.
  public init(_ sql: String, _ parameters: [String?] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}
