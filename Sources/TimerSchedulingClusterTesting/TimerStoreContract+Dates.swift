import TimerSchedulingCluster
import TimerSchedulingFoundation

/// A store's records of a date.
extension TimerStoreContract {
  func checkExplanation() async throws {
    let (name, session) = ("Dates \(UUID())", UUID())
    try await put(name, schedule: "one", payload: "")
    try await register(handlers: [handler], session)
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    var end = end(of: first, .done)
    let skipped = SkippedDates(from: first.from, through: first.from, reason: .newerDate)
    // Later than the pause that follows.
    (end.date, end.next) = (first.until, first.until + .seconds(3_600))
    (end.missed, end.skipped) = (1, [skipped])
    _ = try await store.end([end])
    for date in [first.from, first.until] {
      let known = try await explain(name, date)
      let record = try unwrap(known.runs.first, "The answer lists the run that accounts for a date.")
      try expect(
        !record.isHidden && record.record.from == first.from && record.record.through == first.until
          && record.record.schedule == "one" && record.record.scheduledTime == first.until,
        "A record has the range, the schedule and the date of its run.")
      try expect(
        record.record.skipped == [skipped], "A record has the dates that weren't run, with the reason.")
      try expect(
        known.row?.from == first.until.next && known.row?.until == nil && known.row?.schedule == "one"
          && known.row?.isServed == true,
        "A job's row says which dates are accounted for, and whether a replica has it.")
    }
    let second = try await checkReasons(name, after: first, by: session)
    try await checkAttempts(of: second, name, after: first, by: session)
    _ = try await store.answer(AskRequest(job: name, from: first.from, through: first.from))
    try expect(
      try await explain(name, first.from).row?.asked.map(\.from) == [first.from],
      "The answer lists requested ranges that haven't run.")
    try await store.close(session: session)
    try expect(
      try await explain(name, first.from).row?.isServed == false,
      "`isServed` is false if no live replica has the job."
    )
    _ = try await store.answer(RemovalRequest(job: name))
    let known = try await explain(name, first.from)
    try expect(known.row == nil && !known.runs.isEmpty, "The answer lists the runs of a removed job.")
    try expect(try await explain("no \(name)", first.from).runs.isEmpty, "An unknown job has no runs.")
  }

  /// Checks the reasons for which a claim leaves dates out.
  private func checkReasons(
    _ name: String, after first: ClaimedRun, by session: UUID
  ) async throws -> ClaimedRun {
    _ = try await pause(name, true, by: "ann", reason: "a repair")
    try await pass(.milliseconds(10))
    _ = try await pause(name, false)
    try await pass(.milliseconds(10))
    try await put(name, schedule: "two", payload: "")
    let reasons = try unwrap(
      try await explain(name, first.from).row?.skipped, "The answer has the row of a job that was put.")
    try expect(
      reasons.map(\.reason) == [.paused, .scheduleChanged] && reasons.map(\.by) == ["ann", ""]
        && reasons.map(\.note) == ["a repair", "one"],
      "A job's row says for which reasons dates will be left out.")
    let run = try unwrap(try await claim(session, 2).runs.first, "A changed job is due at once.")
    let known = try await explain(name, first.until.next).runs.last?.record
    let skipped = try unwrap(known?.skipped, "The answer has the run that has left a date out.")
    try expect(
      skipped.map(\.reason) == [.paused, .scheduleChanged] && skipped.map(\.note) == ["a repair", "one"],
      "A record has the reasons for which dates before its range were left out.")
    try expect(
      skipped[0].first == first.until.next && skipped[1].first == skipped[0].last.next
        && skipped[1].last == run.from.previous
        && skipped[0].last >= skipped[0].first + .milliseconds(5),
      "The moments that a run leaves out go from the run before to its range.")
    return run
  }

  /// Checks a range that is begun several times, and never to its end.
  private func checkAttempts(
    of run: ClaimedRun, _ name: String, after first: ClaimedRun, by session: UUID
  ) async throws {
    var retried = end(of: run, .retried)
    (retried.date, retried.next, retried.missed, retried.schedule) = (run.until, run.until, 1, "two")
    _ = try await store.end([retried])
    let job = try await store.jobs(matching: name).first
    try expect(job?.missedCount == 1, "The dates that a repeated run leaves out are counted at its end.")
    let second = try unwrap(try await claim(session, 3).runs.first, "A run to be repeated is due.")
    let known = try await explain(name, first.until.next)
    try expect(
      known.runs.map(\.record.token) == [first, run, second].map(\.token),
      "The answer lists all attempts of a date's range, and the run before.")
    try expect(
      known.row?.from == run.from && known.row?.until == run.until && known.runs[2].record.skipped == [],
      "Until its end, a range is that of its first attempt.")
    try expect(
      known.runs[1].record.outcome == .failed && !known.runs[1].isHidden,
      "The answer lists an attempt that has failed.")
    _ = try await store.end([end(of: second, .released)])
    let third = try unwrap(try await claim(session, 4).runs.first, "A run that was released is due at once.")
    var settled = end(of: third, .settled)
    settled.skipped = [SkippedDates(from: run.until, through: run.until, reason: .attemptsUsedUp)]
    _ = try await store.end([settled])
    let last = try await explain(name, run.until).runs.filter { $0.record.from != nil }
    try expect(
      last.map(\.record.token) == [run, third].map(\.token) && last.map(\.isHidden) == [false, true],
      "A run that was released accounts for nothing, and one without an action for its range.")
    try expect(last[1].record.skipped == settled.skipped, "A record has the date whose attempts are used up.")
  }

  private func explain(_ job: String, _ date: StoreTime) async throws -> DateRequest.Answer {
    try await store.answer(DateRequest(job: job, date: date))
  }
}
