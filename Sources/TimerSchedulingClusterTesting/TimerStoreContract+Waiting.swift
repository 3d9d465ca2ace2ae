import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Attempts that wait after one that has failed, and requests that haven't begun.
extension TimerStoreContract {
  func checkWaiting() async throws {
    let (name, session) = ("Waiting \(UUID())", UUID())
    try await put(name, schedule: "one")
    try await register(handlers: [handler], session)
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try expect(
      try await !retry(name).isRetried, "A job without an attempt that waits has nothing to begin again.")
    try expect(try await !retry("no \(name)").found, "No attempt of an unknown job is begun.")
    let next = try await fail(first)
    let waiting = try await store.jobs(matching: name).first?.retry
    try expect(
      waiting?.attempt == 2 && waiting?.time == next && waiting?.failure == "broken",
      "An attempt that waits is shown, with its moment and the error of the one before.")
    try expect(try await retry(name).isRetried, "An attempt that waits is begun by a request.")
    let second = try unwrap(
      try await claim(session, 2).runs.first, "An attempt that a request begins is due at once.")
    try expect(
      second.attempt == 2 && second.from == first.from && second.until == first.until,
      "An attempt that a request begins has the range of the first.")
    _ = try await fail(second)
    try expect(
      try await store.answer(CancelRequest(job: name, by: "ann")).found,
      "An attempt that waits is given up by a request.")
    let given = try await store.jobs(matching: name).first
    try expect(
      given?.retry == nil && given?.failedCount == 1 && given?.lastTime == second.until,
      "After an attempt that is given up, its date has failed.")
    let record = try await store.history(of: name, limit: 1).first
    try expect(
      record?.outcome == .failed && record?.failure == "broken (given up by ann)",
      "The record says who has given an attempt up.")
    try expect(
      try await !store.answer(CancelRequest(job: name, by: "ann")).found, "An attempt is given up once.")
    let third = try unwrap(
      try await claim(session, 3).runs.first, "After an attempt that is given up, the job is due at once.")
    try expect(
      third.attempt == 1 && third.from == first.until.next, "An attempt that is given up ends its range.")
    var end = end(of: third, .done)
    end.next = third.until + .seconds(3_600)
    _ = try await store.end([end])
    try await checkWithdrawal(name, by: session)
    try await checkLastRetry(by: session)
    try await checkPostponement(by: session)
    try await checkOutdatedRetry(by: session)
    try await store.close(session: session)
  }

  /// Fails a run, whose next attempt waits for an hour. Returns its moment.
  private func fail(_ run: ClaimedRun, asked: AskedRange? = nil) async throws -> StoreTime {
    var end = end(of: run, .retried)
    (end.date, end.failure, end.asked) = (asked?.from ?? run.until, "broken", asked?.id)
    let next = run.until + .seconds(3_600)
    end.next = next
    _ = try await store.end([end])
    return next
  }

  private func retry(_ name: String) async throws -> RetryRequest.Answer {
    try await store.answer(RetryRequest(job: name))
  }

  private func checkWithdrawal(_ name: String, by session: UUID) async throws {
    let (from, through) = (StoreTime(microseconds: 10), StoreTime(microseconds: 20))
    _ = try await store.answer(AskRequest(job: name, from: from, through: through))
    _ = try await store.answer(AskRequest(job: name))
    let asked = try await store.jobs(matching: name).first?.asked
    try expect(
      asked?.count == 2 && asked?.first?.from == from && asked?.first?.through == through,
      "What was asked for is shown, in its order.")
    try expect(try await store.answer(WithdrawalRequest(job: name)).found, "Requests are withdrawn.")
    try expect(
      try await !store.answer(WithdrawalRequest(job: "no \(name)")).found,
      "Nothing is withdrawn of an unknown job.")
    try expect(
      try await store.jobs(matching: name).first?.asked.isEmpty == true, "What was withdrawn isn't shown.")
    let run = try unwrap(try await claim(session, 4).runs.first, "A job is due after a withdrawal.")
    try expect(run.asked == nil, "What was withdrawn isn't run.")
    _ = try await store.end([end(of: run, .settled)])
    for (number, isWaiting) in [(5, false), (6, true)] {
      _ = try await store.answer(AskRequest(job: name))
      let run = try unwrap(
        try await claim(session, Int64(number)).runs.first, "A run that was asked for is due at once.")
      if isWaiting { _ = try await fail(run, asked: run.asked) }
      _ = try await store.answer(WithdrawalRequest(job: name))
      if !isWaiting { _ = try await fail(run, asked: run.asked) }
      let job = try await store.jobs(matching: name).first
      try expect(
        job?.retry == nil && job?.failedCount == number - 3,
        isWaiting
          ? "An attempt that waits is withdrawn with its request."
          : "A run whose request was withdrawn isn't tried again.")
      if !isWaiting {
        try expect(job?.run == nil && job?.asked == [], "A run whose request was withdrawn ends.")
      }
    }
    _ = try await store.answer(RemovalRequest(job: name))
  }

  /// Checks an attempt that a request has kept waiting after a put with another schedule.
  private func checkOutdatedRetry(by session: UUID) async throws {
    let name = "Outdated \(UUID())"
    try await put(name, schedule: "one")
    let first = try unwrap(try await claim(session, 40).runs.first, "A job that was put is due at once.")
    _ = try await store.answer(AskRequest(job: name))
    try await put(name, schedule: "two")
    _ = try await fail(first)
    try expect(
      try await store.jobs(matching: name).first?.retry != nil,
      "While something is asked for, an attempt waits after a put with another schedule.")
    _ = try await store.answer(WithdrawalRequest(job: name))
    let job = try await store.jobs(matching: name).first
    try expect(
      job?.retry == nil && job?.failedCount == 1,
      "A withdrawal gives up an attempt that was claimed with another schedule.")
    let next = try unwrap(try await claim(session, 41).runs.first, "The job is due at once after that.")
    try expect(next.attempt == 1 && next.schedule == "two", "The next range has the schedule that was put.")
    _ = try await store.end([end(of: next, .settled)])
    _ = try await store.answer(RemovalRequest(job: name))
  }

  /// Checks runs that are to be repeated and don't count as attempts.
  private func checkPostponement(by session: UUID) async throws {
    let name = "Postponed \(UUID())"
    try await put(name, schedule: "one")
    let first = try unwrap(try await claim(session, 20).runs.first, "A job that was put is due at once.")
    try expect(first.previousFailure == nil, "A first attempt has no failure before it.")
    try await postpone(first)
    let job = try await store.jobs(matching: name).first
    try expect(
      job?.retry?.attempt == 1 && job?.retry?.failure == "" && job?.failedCount == 0,
      "A run that is postponed counts neither as an attempt nor as a failure.")
    try expect(
      try await store.history(of: name, limit: 1).map(\.outcome) == [.postponed],
      "A run that is postponed is recorded as such.")
    _ = try await retry(name)
    let second = try unwrap(try await claim(session, 21).runs.first, "A run that was postponed is claimed.")
    try expect(
      second.attempt == 1 && second.from == first.from && second.until == first.until,
      "A run that was postponed has its range.")
    _ = try await fail(second)
    for number in [22, 23] {
      _ = try await retry(name)
      let third = try unwrap(
        try await claim(session, Int64(number)).runs.first, "An attempt that a request begins is due at once."
      )
      try expect(
        third.attempt == 2 && third.previousFailure == "broken",
        "A later attempt has the error of the last one that has failed.")
      try await postpone(third)
    }
    _ = try await store.answer(RemovalRequest(job: name))
  }

  private func postpone(_ run: ClaimedRun) async throws {
    var end = end(of: run, .postponed)
    (end.date, end.next) = (run.until, run.until + .seconds(3_600))
    try expect(try await store.end([end]).verdicts == [.written], "A run is postponed.")
    try expect(try await store.end([end]).verdicts == [.before], "A run is postponed once.")
  }

  /// Checks jobs whose last date has failed for good, or was abandoned.
  private func checkLastRetry(by session: UUID) async throws {
    for (number, outcome) in [(7, RunEnd.Outcome.failed), (9, .settled)] {
      let name = "Last \(UUID())"
      _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
      let run = try unwrap(
        try await claim(session, Int64(number)).runs.first, "A job that was put for now is due.")
      var end = RunEnd(
        token: run.token, outcome: outcome, through: run.until, schedule: run.schedule, missed: 0)
      if outcome == .failed {
        (end.date, end.failure) = (run.from, "broken")
      } else {
        end.skipped = [SkippedDates(from: run.from, through: run.from, reason: .attemptsUsedUp)]
      }
      _ = try await store.end([end])
      try expect(try await retry(name).isRetried, "A job that has failed for good begins anew.")
      let again = try unwrap(
        try await claim(session, Int64(number + 1)).runs.first, "A job that begins anew is due at once.")
      try expect(
        again.attempt == 1 && again.asked?.from == run.from && again.asked?.through == run.from,
        "A job that begins anew is run for its last date.")
      end = RunEnd(
        token: again.token, outcome: .done, date: run.from, through: again.until, schedule: run.schedule,
        missed: 0)
      end.asked = again.asked?.id
      _ = try await store.end([end])
      try expect(
        try await store.jobs(matching: name).isEmpty, "A job that began anew and is done leaves the list.")
    }
  }
}
