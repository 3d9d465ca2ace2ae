public import TimerSchedulingFoundation

/// The fate of a date of a job, past or to come, and its reason.
public struct DateExplanation: Sendable, Hashable, CustomStringConvertible {
  /// The fate of a date.
  @nonexhaustive(warn)
  public enum Outcome: String, Sendable, Hashable {
    /// It was run without an error.
    case done
    /// Its last run has thrown an error, and it isn't run again.
    case failed
    /// The replica of its last run died or was cut off, and it isn't run again.
    case abandoned
    /// A run for it, or for a newer date in its place, is under way. In a burst, each date has a run of its
    /// own.
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
  /// The reason for which the date wasn't run, with the dates around it that have the same. Nil if it was, or
  /// may yet be.
  public var skipped: SkippedDates?
  /// The run that was going on at the date, or whose next attempt the job waited for. Nil if the date was
  /// run.
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

  // MARK: Text

  /// The answer in a line, and a line for each run.
  public var description: String {
    let clock = wasAhead ? " The store's clock was ahead then." : ""
    return (["\"\(job)\", \(text(time)): \(sentence)\(clock)"] + runs.map(text)).joined(separator: "\n")
  }

  private var sentence: String {
    switch outcome {
    case .done: "run."
    case .failed: "run, and failed."
    case .abandoned: "begun, and abandoned by its replica."
    case .running: "a run is under way that accounts for it."
    case .retrying: "begun, and to be begun again\(next.map { " at \(text($0))" } ?? "")."
    case .skipped: "not run. \(reason)"
    case .waiting: "due. \(obstacle)"
    case .toCome: "still to come."
    case .notDue: "no date of the schedule\(next.map { ", whose next one is \(text($0))" } ?? "")."
    case .unknown: "no record. The job wasn't in the store yet, or the records were deleted."
    }
  }

  private var reason: String {
    guard let skipped else { return "" }
    switch skipped.reason {
    case .newerDate:
      return runBefore.map { "The run before was going on: \(text($0))" }
        ?? "No replica claimed it before a newer date was due."
    case .tooOld: return "It was older than the time to catch up when a replica claimed it."
    case .attemptsUsedUp: return "Its attempts were used up."
    case .paused:
      let person = skipped.by.isEmpty ? "" : " by \(skipped.by)"
      return "The job was paused\(person)\(skipped.note.isEmpty ? "." : ": \(skipped.note)")"
    case .scheduleChanged: return "The schedule was changed. Before, it was: \(skipped.note)"
    }
  }

  private var obstacle: String {
    if isAsked { return "An operator has asked for it, and it is run when no other run is going on." }
    if let runBefore { return "The run before is going on: \(text(runBefore))" }
    return isServed ? "A replica is about to claim it." : "No replica has the job now."
  }

  private func text(_ run: ClusterRunRecord) -> String {
    let times = "\(text(run.beganTime))\(run.endedTime.map { " to \(text($0))" } ?? "")"
    let failure =
      run.failure.map { ": " + $0.split(whereSeparator: \.isNewline).joined(separator: " ") } ?? ""
    return "attempt \(run.attempt) on \(run.replica), \(times), \(run.outcome.rawValue)\(failure)"
  }

  private func text(_ time: StoreTime) -> String {
    let isWhole = time.microseconds % 1_000_000 == 0
    return time.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole))
  }
}
