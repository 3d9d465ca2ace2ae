/// One run in the history of a store.
public struct ClusterRunRecord: Sendable, Hashable, Identifiable {
  /// What became of a run.
  @nonexhaustive(warn)
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It is under way.
    case running
    /// It ended without an error.
    case done
    /// It threw an error.
    case failed
    /// Its lease ended before it did.
    case abandoned
  }

  /// The fencing token.
  public var token: Int64
  /// The name of the job.
  public var job: String
  /// The date it was for.
  public var scheduledDate: StoreTime
  /// 1, and more if earlier runs of the date were abandoned.
  public var attempt: Int
  /// The number of dates that were passed over before this one.
  public var missedCount: Int
  /// The replica that ran it.
  public var replica: String
  /// When it was claimed.
  public var began: StoreTime
  /// When it ended, or was found abandoned.
  public var ended: StoreTime?
  /// What became of it.
  public var outcome = Outcome.running
  /// What it threw.
  public var failure: String?

  /// The token.
  public var id: Int64 { token }

  /// Creates a record of a run under way.
  public init(
    token: Int64, job: String, scheduledDate: StoreTime, attempt: Int, missedCount: Int, replica: String,
    began: StoreTime
  ) {
    self.token = token
    self.job = job
    self.scheduledDate = scheduledDate
    self.attempt = attempt
    self.missedCount = missedCount
    self.replica = replica
    self.began = began
  }
}
