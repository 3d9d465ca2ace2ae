public import TimerSchedulingFoundation

/// The dates of a job between two moments, which weren't run, and the reason.
public struct SkippedDates: Sendable, Hashable, Codable {
  /// A reason for which dates weren't run.
  @nonexhaustive(warn)
  public enum Reason: String, Sendable, Hashable, Codable {
    /// A newer date was due when a replica could claim the job.
    case newerDate
    /// They were older than the time to catch up.
    case tooOld
    /// The attempts of the date were used up.
    case attemptsUsedUp
    /// The job was paused.
    case paused
    /// The schedule was changed, or the job was removed and put again.
    case scheduleChanged
  }

  /// The first moment.
  public var from: Date { first.date }
  /// The last moment.
  public var through: Date { last.date }
  /// The reason for which they weren't run.
  public var reason: Reason
  /// The name of the operator who has paused the job.
  public var by = ""
  /// The reason that was given for the pause, or the text of the schedule before the change.
  public var note = ""
  package var first, last: StoreTime

  package init(
    from: StoreTime, through: StoreTime, reason: Reason, by person: String = "", note: String = ""
  ) {
    (first, last, self.reason, by, self.note) = (from, through, reason, person, note)
  }

  func contains(_ date: StoreTime) -> Bool { first <= date && date <= last }

  private enum CodingKeys: String, CodingKey {
    case reason, by, note
    case first = "from"
    case last = "through"
  }
}
