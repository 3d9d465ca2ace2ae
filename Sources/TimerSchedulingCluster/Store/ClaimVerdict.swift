/// A store's answer to a claim.
@nonexhaustive(warn)
public enum ClaimVerdict: Sendable, Hashable {
  /// The replica has claimed the date, and no other replica has it.
  case claimed(Claim)
  /// The cursor isn't the one in the request. The replica goes on from `cursor`.
  case moved(cursor: StoreTime)
  /// A run of the job is under way, and its lease ends at `until` unless it is renewed.
  case busy(cursor: StoreTime, until: StoreTime)
  /// The date is later than the store's clock, and no run was abandoned.
  case early
  /// The job is paused for all replicas.
  case paused
  /// Another replica is claiming at this moment. Ask again in some milliseconds.
  case contended

  /// The right to run a job for one date.
  public struct Claim: Sendable, Hashable {
    /// The date to run. It is earlier than the requested one if a run of an earlier date was abandoned.
    public var date: StoreTime
    /// The fencing token, greater than those of all earlier claims.
    public var token: Int64
    /// The number of the attempt: 1, or more if earlier runs of the date were abandoned.
    public var attempt: Int
    /// The number of skipped dates before this one.
    public var missedCount: Int

    /// Creates a claim.
    public init(date: StoreTime, token: Int64, attempt: Int, missedCount: Int) {
      self.date = date
      self.token = token
      self.attempt = attempt
      self.missedCount = missedCount
    }
  }
}
