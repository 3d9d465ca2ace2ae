/// A store through which the replicas of a cluster agree which of them runs which date.
///
/// Each method is one atomic step, judged by the store's own clock, which must be the same for all replicas. A method
/// that throws may still have taken effect, if only its answer was lost. `TimerStoreContract`, of the product
/// `TimerSchedulingTesting`, checks a store of your own.
public protocol TimerStore: Sendable {
  /// Registers a job, or leaves a known job unchanged, and returns its cursor.
  ///
  /// The cursor of a new job is the present moment. If the fingerprint differs from the job's, the job gets the new
  /// one, and `knownSince` is the present moment: the new schedule isn't run for older dates.
  func register(job: String, fingerprint: String) async throws -> JobRegistration

  /// Claims a date by compare-and-set on the job's cursor, and returns the verdict with the store's time.
  ///
  /// The store checks in this order: a repeated claim gets the same answer, with a new lease; a live lease makes the
  /// job busy; a paused job answers paused; a lease that has ended makes its run abandoned, and the claim is for that
  /// run's date while it has attempts left; a differing cursor answers moved; a date later than the store's clock
  /// answers early; otherwise the date is claimed.
  func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime)

  /// Renews the leases of runs, and returns the tokens of the runs that the caller still has.
  func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (tokens: Set<Int64>, now: StoreTime)

  /// Ends a run, and returns true if it was still the job's run or had already ended. Otherwise nothing changes.
  func finish(job: String, token: Int64, failure: String?) async throws -> Bool

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
  /// Its result is one row with one column: `ended`, `over` if the run had already ended, or `lost` if it was taken
  /// over.
  func finishStatement(job: String, token: Int64) -> (sql: String, parameters: [String?])
}

/// A store's data on a job that a replica registers.
public struct JobRegistration: Sendable, Hashable {
  /// The last claimed date, or the moment at which the job was registered.
  public var cursor: StoreTime
  /// The moment since which the schedule is known. Older dates aren't run.
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
