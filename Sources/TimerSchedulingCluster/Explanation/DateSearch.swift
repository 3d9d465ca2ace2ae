/// Explains a date from a store's records.
struct DateSearch {
  let job: String
  let date: StoreTime
  let answer: DateRequest.Answer
  /// Returns the dates of a schedule by its text. Nil if this program can't read it.
  let dates: (_ schedule: String) -> ClusterDates?

  var explanation: DateExplanation {
    var found = DateExplanation(job: job, date: date)
    found.isServed = answer.row?.isServed ?? false
    found.runs = runs
    let recorded = recordedSkip
    if isAsked {
      (found.outcome, found.isAsked) = (.waiting, true)
    } else if let last = found.runs.last {
      conclude(last, &found)
    } else if let row = answer.row, row.owes(date), recorded?.0.reason != .attemptsUsedUp {
      // Other records of the same moment are of a clock that was ahead.
      searchRow(row, &found)
    } else if let (skipped, schedule, attempts) = recorded {
      found.runs = skipped.reason == .attemptsUsedUp ? attempts : []
      skip(skipped, of: schedule, &found)
    } else {
      searchRange(&found)
    }
    return found
  }

  /// The runs that began an action, by token.
  private var shown: [ClusterRunRecord] { answer.runs.filter { !$0.isHidden }.map(\.record) }

  /// The runs for the date, with their earlier attempts, whose date the store may not know.
  private var runs: [ClusterRunRecord] {
    let own = shown.filter { $0.scheduledTime == date && [.done, .failed, .postponed].contains($0.outcome) }
    let (tokens, ranges) = (Set(own.map(\.token)), Set(own.compactMap(\.from)))
    return shown.filter { tokens.contains($0.token) || $0.from.map(ranges.contains) ?? false }
  }

  private func conclude(_ last: ClusterRunRecord, _ found: inout DateExplanation) {
    found.wasAhead = last.beganTime > answer.now
    switch last.outcome {
    case .running: found.outcome = .running
    case .done: found.outcome = .done
    case .failed, .postponed, .abandoned:
      found.outcome = last.outcome == .abandoned ? .abandoned : .failed
      if isOpen(last) { (found.outcome, found.next) = (.retrying, answer.row?.nextDate) }
    }
  }

  /// Whether the range of a run has another attempt to come.
  private func isOpen(_ run: ClusterRunRecord) -> Bool {
    answer.row.map { $0.until != nil && $0.from == run.from } ?? false
  }

  private var runBefore: ClusterRunRecord? {
    let shown = shown
    guard let place = shown.lastIndex(where: { $0.beganTime <= date }) else { return nil }
    let run = shown[place]
    let isNextOfRange = shown[(place + 1)...].first.map { $0.from != nil && $0.from == run.from } ?? false
    return run.endedTime.map { $0 > date } ?? true || isNextOfRange || isOpen(run) ? run : nil
  }

  private var isAsked: Bool {
    guard let row = answer.row else { return false }
    return row.asked.contains { asked in
      asked.from == asked.through
        ? asked.from == date
        : asked.from <= date && date <= asked.through && isDate(of: row.schedule) != false
    }
  }

  /// Whether a schedule has the date. Nil if this program can't read it.
  private func isDate(of schedule: String) -> Bool? {
    dates(schedule).map { $0.date(after: date.previous) == date }
  }

  /// The newest record that has left the date out, with the schedule of the date and the attempts of the
  /// range.
  private var recordedSkip: (SkippedDates, schedule: String, attempts: [ClusterRunRecord])? {
    for run in answer.runs.map(\.record).reversed() {
      guard let place = run.skipped.lastIndex(where: { $0.contains(date) }) else { continue }
      let attempts = shown.filter { $0.from != nil && $0.from == run.from }
      return (run.skipped[place], schedule(at: place, of: run.skipped, before: run.schedule), attempts)
    }
    return nil
  }

  /// Returns the schedule that dates belong to. Each change says what it was before.
  private func schedule(at place: Int, of skipped: [SkippedDates], before schedule: String) -> String {
    skipped[place...].first { $0.reason == .scheduleChanged }?.note ?? schedule
  }

  private func skip(_ skipped: SkippedDates, of schedule: String, _ found: inout DateExplanation) {
    if skipped.reason == .attemptsUsedUp {
      found.outcome = .abandoned
    } else if refuse(schedule, &found) {
      return
    } else {
      found.outcome = .skipped
      if skipped.reason == .newerDate { found.runBefore = runBefore }
    }
    found.skipped = skipped
  }

  /// Says so if a schedule doesn't have the date.
  private func refuse(_ schedule: String, _ found: inout DateExplanation) -> Bool {
    guard isDate(of: schedule) == false else { return false }
    (found.outcome, found.next) = (.notDue, dates(schedule)?.date(after: date))
    return true
  }

  /// Searches the newest range that includes the date, up to the end that its last attempt gives. The range
  /// hasn't left the date out, and its run, if it has ended, was for another one.
  private func searchRange(_ found: inout DateExplanation) {
    let last = answer.runs.map(\.record).last { run in
      guard let from = run.from, let through = run.through else { return false }
      let isLast = answer.runs.last { $0.record.from == from }?.record.token == run.token
      return isLast && from <= date && date <= through
    }
    guard let last, !refuse(last.schedule, &found) else { return }
    let attempts = shown.filter { $0.from == last.from }
    switch attempts.last?.outcome {
    case .running: (found.outcome, found.runs) = (.running, attempts)
    case .abandoned:
      (found.outcome, found.runs) = (isOpen(last) ? .retrying : .abandoned, attempts)
    case .done, .failed, .postponed, nil:
      if isOpen(last) {
        (found.outcome, found.runBefore) = (.waiting, attempts.last)
      } else if isDate(of: last.schedule) == nil {
        found.outcome = .notDue
      }
    }
  }

  private func searchRow(_ row: DateRequest.Row, _ found: inout DateExplanation) {
    if let place = row.skipped.firstIndex(where: { date <= $0.last }) {
      var skipped = row.skipped[place]
      skipped.first = row.from
      return skip(skipped, of: schedule(at: place, of: row.skipped, before: row.schedule), &found)
    }
    if refuse(row.schedule, &found) { return }
    if date > answer.now {
      found.outcome = .toCome
    } else if row.isPaused {
      found.outcome = .skipped
      found.skipped = SkippedDates(
        from: row.from, through: answer.now, reason: .paused, by: row.pausedBy, note: row.pauseReason)
    } else {
      (found.outcome, found.runBefore) = (.waiting, runBefore)
    }
  }
}
