public import TimerSchedulingFoundation

/// One run in the history of a store.
public struct ClusterRunRecord: Sendable, Hashable, Identifiable, Codable {
  /// The outcome of a run.
  @nonexhaustive(warn)
  public enum Outcome: String, Sendable, Hashable, Codable {
    /// The run is under way.
    case running
    /// The run ended without an error.
    case done
    /// The run threw an error.
    case failed
    /// The run's lease ended before the run did.
    case abandoned
    /// The run has thrown ``RunDecision/again(after:)``, or its program has cancelled it. Its date is begun
    /// again.
    case postponed
  }

  /// The fencing token.
  public var token: Int64
  /// The name of the job.
  public var job: String
  /// The date the job was run for: of a run under way or abandoned, the first that was due. Nil if not known.
  public var scheduledDate: Date? { scheduledTime?.date }
  /// The number of the attempt: 1, or more if earlier runs of the date were abandoned or failed.
  public var attempt: Int
  /// The number of skipped dates before this one.
  public var missedCount: Int
  /// The replica that ran the job.
  public var replica: String
  /// The moment at which the date was claimed.
  public var began: Date { beganTime.date }
  /// The moment at which the run ended or was found abandoned. Nil while it is under way.
  public var ended: Date? { endedTime?.date }
  /// The outcome of the run.
  public var outcome = Outcome.running
  /// A description of the run's error, or of what has cancelled it.
  public var failure: String?
  /// Whether an operator has asked for the run.
  public var isAsked = false
  /// The dates that the run has left out: those before its range, and those of the range that weren't run.
  public var skipped: [SkippedDates] = []
  package var scheduledTime, endedTime: StoreTime?
  package var beganTime: StoreTime
  /// The moments for which the run accounts. Nil if it was left to another replica before it began.
  package var from, through: StoreTime?
  package var schedule = ""

  /// The token.
  public var id: Int64 { token }

  private enum CodingKeys: String, CodingKey {
    case token, job, attempt, replica, outcome, failure, isAsked, skipped, from, through, schedule
    case beganTime = "began"
    case endedTime = "ended"
    case scheduledTime = "date"
    case missedCount = "missed"
  }

  /// Whether the run accounts for a date, was for it, or has left it out.
  func concerns(_ date: StoreTime) -> Bool {
    if let from, let through, from <= date, date <= through { return true }
    return scheduledTime == date || skipped.contains { $0.contains(date) }
  }
}
