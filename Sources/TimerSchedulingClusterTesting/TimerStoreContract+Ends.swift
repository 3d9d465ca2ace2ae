import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Runs that don't end as usual, and changes of jobs.
extension TimerStoreContract {
  func checkAbandonment() async throws {
    try await pass(gap)
    let run = try unwrap(try await claim(first, 7).runs.first, "A job whose run has failed is due again.")
    try await pass(lease + .milliseconds(50))
    let taken = try await claim(second, 2)
    let again = try unwrap(taken.runs.first, "A row whose session is over is claimed.")
    try expect(
      again.from == run.from && again.until == run.until && again.attempt == 2,
      "A later attempt has the range of the first.")
    try expect(again.token > run.token, "Tokens only grow.")
    try expect(again.abandonedBy == "replica \(first)", "A claim says whose run was abandoned.")
    try expect(
      try await store.end([end(of: run, .done)]).verdicts == [.refused],
      "A run that was taken over can't end.")
    try expect(
      try await store.renew(session: first, lease: lease, givenUp: []).isOver,
      "A session that is over isn't renewed.")
    try expect(try await claim(first, 8).isOver, "A session that is over claims nothing.")
    try expect(try await register(first).isOver, "A session that is over registers nothing.")
    try expect(
      try await store.history(of: job, limit: 2).map(\.outcome) == [.running, .abandoned],
      "Abandoned runs are recorded.")
    try expect(try await shownJob()?.abandonedCount == 1, "Abandoned runs are counted.")
    _ = try await store.end([end(of: again, .settled)])
    try expect(
      try await store.history(of: job, limit: 1).map(\.outcome) == [.abandoned],
      "A run without an action isn't in the history.")
  }

  func checkRepetition() async throws {
    try await pass(gap)
    let run = try unwrap(try await claim(second, 3).runs.first, "A settled row is due again.")
    var retried = end(of: run, .retried)
    retried.next = run.until
    _ = try await store.end([retried])
    let second = try unwrap(
      try await claim(second, 4).runs.first, "A run to be repeated is due at its moment.")
    try expect(second.until == run.until && second.attempt == 2, "A repeated run has the range of the first.")
    _ = try await store.end([end(of: second, .released)])
    let third = try unwrap(
      try await claim(self.second, 5).runs.first, "A run that was released is due at once.")
    try expect(third.until == run.until && third.attempt == 2, "An attempt that was released doesn't count.")
    let renewed = try await store.renew(session: self.second, lease: lease, givenUp: [third.token])
    try expect(renewed.tokens == [], "A row that was given up isn't held.")
    let fourth = try unwrap(
      try await claim(self.second, 6).runs.first, "A row that was given up is claimed at once.")
    try expect(fourth.attempt == 3 && fourth.abandonedBy != nil, "A run that was given up is abandoned.")
    try await store.close(session: self.second)
    let closer = UUID()
    try await register(closer)
    let fifth = try unwrap(
      try await claim(closer, 1).runs.first, "The rows of a closed session are claimed at once.")
    var long = end(of: fifth, .done)
    (long.through, long.next) = (fifth.until + gap / 2, fifth.until)
    _ = try await store.end([long])
    let sixth = try unwrap(try await claim(closer, 2).runs.first, "A row that is due is claimed.")
    try expect(sixth.from == fifth.until.next, "An end accounts for no more than the range of its run.")
    _ = try await store.end([end(of: sixth, .done)])
    try await store.close(session: closer)
  }

  func checkPause() async throws {
    let session = UUID()
    try await register(session)
    try await pass(gap)
    let due = try unwrap(try await claim(session, 1).runs.first, "A row that is due is claimed.")
    try expect(try await pause(job, true, by: "ann", reason: "a repair"), "A known job is paused.")
    try expect(try await !pause("no \(job)", true), "An unknown job isn't paused.")
    try await pass(.milliseconds(10))
    var end = end(of: due, .done)
    end.next = try await claim(session, 2).now
    _ = try await store.end([end])
    let paused = try await claim(session, 3)
    try expect(paused.runs.isEmpty, "A paused job isn't claimed.")
    try await pass(.milliseconds(10))
    let shown = try await shownJob()
    try expect(
      shown?.pausedBy == "ann" && shown?.pauseReason == "a repair", "Who paused a job is shown, and why.")
    _ = try await pause(job, false)
    let run = try unwrap(try await claim(session, 4).runs.first, "A resumed job is claimed.")
    try expect(run.from > paused.now, "The dates of a pause aren't run.")
    _ = try await store.end([self.end(of: run, .done)])
    try await checkOwedDate(before: run, by: session)
    try await store.close(session: session)
  }

  /// Checks a date that was due before a pause of its job.
  private func checkOwedDate(before run: ClaimedRun, by session: UUID) async throws {
    try await pass(gap + .milliseconds(10))
    // An old claim only says the time.
    let before = try await claim(session, 1).now
    _ = try await pause(job, true)
    try await pass(.milliseconds(10))
    _ = try await pause(job, false)
    let owed = try unwrap(try await claim(session, 5).runs.first, "A resumed job is claimed.")
    let after = try await claim(session, 1).now
    try expect(
      owed.from == run.until.next && owed.until >= before && owed.until <= after - .milliseconds(10),
      "A date that was due before a pause is run after it.")
    var end = end(of: owed, .done)
    end.next = owed.until.next
    _ = try await store.end([end])
    let next = try unwrap(try await claim(session, 6).runs.first, "A job is claimed again after its date.")
    try expect(
      next.from >= owed.until + .milliseconds(10),
      "The dates of a pause aren't run, also if one from before it was run after it.")
    _ = try await store.end([self.end(of: next, .done)])
  }

  func checkChange() async throws {
    let (old, new) = (UUID(), UUID())
    // An old claim only says the time.
    let before = try await register(old).now
    try await pass(.milliseconds(10))
    try await register(new, schedule: "two")
    try expect(try await claim(old, 1).others == [job], "A job whose schedule others have is theirs.")
    let run = try unwrap(try await claim(new, 1).runs.first, "A job with a changed schedule is due at once.")
    try expect(
      run.from > before + .milliseconds(5) && run.schedule == "two",
      "A changed schedule isn't run for dates before its registration.")
    _ = try await store.end([end(of: run, .settled)])
    let due = try unwrap(
      try await claim(new, 2).runs.first, "After an end by another schedule the row is due at once.")
    var end = end(of: due, .done)
    end.schedule = "two"
    _ = try await store.end([end])
    try await register(old, isDeclared: false)
    try expect(try await shownJob()?.schedule == "two", "Only a declared schedule becomes the store's.")
    try await store.close(session: new)
    let gone = try await claim(old, 2)
    try expect(gone.unserved == [job], "A schedule that no replica has is unserved.")
    try await pass(gap)
    try await register(old, resumes: true)
    let back = try unwrap(
      try await claim(old, 3).runs.first, "A job whose former schedule is back is due at once.")
    try expect(
      back.schedule == "one" && back.from == due.until.next,
      "A schedule that is back owes the dates since another version's last run.")
    _ = try await store.end([self.end(of: back, .done)])
    try await store.close(session: old)
  }

  func checkHistory() async throws {
    let records = try await store.history(of: job, limit: 100)
    try expect(records.count > 3, "Runs are recorded.")
    try expect(records.map(\.token) == records.map(\.token).sorted(by: >), "The newest runs come first.")
    try expect(
      try await store.history(of: job, limit: 2).count == 2, "A history has no more runs than its limit.")
    let end = records[0].beganTime + .seconds(1)
    let count = try await store.answer(HistoryRemoval(before: end, limit: 1)).count
    try expect(count == 1, "A removal of records has a limit.")
    let removed = try await store.removeHistory(before: end)
    try expect(removed >= records.count { $0.outcome != .running } - 1, "Records of ended runs are removed.")
    try expect(try await store.history(of: job, limit: 100).isEmpty, "Removed records are gone.")
  }
}
