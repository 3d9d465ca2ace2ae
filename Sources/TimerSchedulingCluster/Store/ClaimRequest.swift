#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A replica's request to run the next date of a job.
public struct ClaimRequest: Sendable, Hashable {
  /// Identifies the claim. It stays the same while the answer is unknown, so that repeating the request returns a
  /// lost answer.
  public var id: UUID
  /// The name of the job.
  public var job: String
  /// The last claimed date, as the replica knows it.
  public var cursor: StoreTime
  /// The date to run. With a future date the request only asks whether a run was abandoned.
  public var date: StoreTime
  /// The date after `date`, which the store keeps for operators. Nil if `date` is the last.
  public var following: StoreTime?
  /// The number of skipped dates between the cursor and `date`.
  public var missedCount: Int
  /// The name of the replica.
  public var replica: String
  /// The time the claim lasts without renewal.
  public var lease: Duration
  /// The number of times a date may be begun in all: 1 for jobs whose abandoned runs aren't repeated.
  public var attempts: Int

  /// Creates a request.
  public init(
    id: UUID, job: String, cursor: StoreTime, date: StoreTime, following: StoreTime? = nil, missedCount: Int,
    replica: String, lease: Duration, attempts: Int
  ) {
    self.id = id
    self.job = job
    self.cursor = cursor
    self.date = date
    self.following = following
    self.missedCount = missedCount
    self.replica = replica
    self.lease = lease
    self.attempts = attempts
  }
}
