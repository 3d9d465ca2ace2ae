import TimerSchedulingFoundation

extension DateExplanation: CustomStringConvertible {
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
