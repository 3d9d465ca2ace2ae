public import TimerSchedulingFoundation

/// The fate of a date of a job, past or to come, and its reason.
public struct DateExplanation: Sendable, Hashable {
  /// The fate of a date.
  @nonexhaustive(warn)
  public enum Outcome: String, Sendable, Hashable {
    /// It was run without an error.
    case done
    /// Its last run has thrown an error, and it isn't run again.
    case failed
    /// The replica of its last run died or was cut off, and it isn't run again.
    case abandoned
    /// A run is under way that accounts for it. Of several dates that are due, the newest is run, or in a burst the oldest.
    case running
    /// Its last run has failed or was abandoned, and another attempt follows.
    case retrying
    /// It wasn't run.
    case skipped
    /// It is due, or an operator has asked for it.
    case waiting
    /// It lies ahead.
    case toCome
    /// The schedule has no such date.
    case notDue
    /// The store has no record of it: the job wasn't there yet, or the records were deleted.
    case unknown
  }

  /// The name of the job.
  public var job: String
  /// The date.
  public var date: Date { time.date }
  /// The fate of the date.
  public var outcome: Outcome
  /// Its runs, the first attempt first.
  public var runs: [ClusterRunRecord] = []
  /// The reason for which the date wasn't run, with the dates around it that have the same. Nil if it was, or may yet be.
  public var skipped: SkippedDates?
  /// The run that was going on at the date, or whose next attempt the job waited for. Nil if there was none, or if the date
  /// was run.
  package var runBefore: ClusterRunRecord?
  /// The moment of the next attempt, or of the schedule's next date after one that it doesn't have.
  package var next: StoreTime?
  /// Whether an operator has asked for a run of it that is still to come.
  package var isAsked = false
  /// Whether its last run began by a store's clock that was set back since.
  package var wasAhead = false
  /// Whether a replica can run the job now.
  package var isServed = false

  package let time: StoreTime

  init(job: String, date: StoreTime) { (self.job, time, outcome) = (job, date, .unknown) }
}
