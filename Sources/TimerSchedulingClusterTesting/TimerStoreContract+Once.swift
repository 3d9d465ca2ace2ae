import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Jobs that are run once, and the jobs that leave the store.
extension TimerStoreContract {
  func checkOnce() async throws {
    let (name, session) = ("Once \(UUID())", UUID())
    let began = try await register(handlers: [handler], session)
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero, payload: "first"))
    let run = try unwrap(
      try await claim(session, 1).runs.first, "A job that was put for now is due at once.")
    try expect(
      run.from >= began && run.from <= run.until && run.payload == "first" && date(of: run) == run.from,
      "A job for now has the moment of its put as its date.")
    _ = try await store.end([lastEnd(of: run, .done)])
    try expect(
      try await store.jobs(matching: name).isEmpty, "A job whose last date is done leaves the list.")
    try expect(
      try await store.history(of: name, limit: 2).map(\.scheduledTime) == [run.from],
      "The records of a job that has left stay.")
    try expect(
      try await store.end([lastEnd(of: run, .done)]).verdicts == [.before],
      "The end of a job that has left may be written again.")
    try await checkPassedDate(after: run, by: session)
    try await checkDelay(by: session)
    try await checkSecondPut(by: session)
    try await store.close(session: session)
    try await checkNext()
    try await checkAskedAhead()
  }

  /// Checks when an end says that its job is due again.
  private func checkNext() async throws {
    let (name, handler, session) = ("Next \(UUID())", "Next \(UUID())", UUID())
    try await register(handlers: [handler], session)
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
    let first = try unwrap(
      try await claim(session, 1).runs.first, "A job that was put for now is due at once.")
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: gap))
    for number in 1...2 {
      let answer = try await store.end([lastEnd(of: first, .done)])
      try expect(
        answer.next.map { $0 <= answer.now } ?? false,
        number == 1 ? "An end says that its job was put meanwhile." : "A repeated end says that, too.")
    }
    try await pass(gap)
    let second = try unwrap(
      try await claim(session, 2).runs.first, "A job for later is due after its delay.")
    try expect(
      try await store.end([lastEnd(of: first, .done)]).next == nil, "A job with a run isn't due.")
    try expect(
      try await store.end([end(of: second, .released)]).next == nil, "A run that is released is for others.")
    let third = try unwrap(
      try await claim(session, 3).runs.first, "A run that was released is due at once.")
    var retried = end(of: third, .retried)
    retried.next = third.until + .seconds(3_600)
    try expect(
      try await store.end([retried]).next == retried.next, "An end says when the next attempt begins.")
    try expect(try await pause(name, true), "A known job is paused.")
    try expect(try await store.end([retried]).next == nil, "A paused job isn't due.")
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: session)
  }

  private func checkPassedDate(after first: ClaimedRun, by session: UUID) async throws {
    let name = "Passed \(UUID())"
    let passed = StoreTime(microseconds: first.from.microseconds - 3_600_000_000)
    _ = try await store.answer(PutRequest(job: name, handler: handler, date: passed))
    let run = try unwrap(
      try await claim(session, 2).runs.first, "A job whose date has passed when it is put is due at once.")
    try expect(
      run.from == passed && date(of: run) == passed, "A date that has passed is run as it was given.")
    _ = try await store.end([lastEnd(of: run, .failed)])
    let shown = try await store.jobs(matching: name).first
    try expect(
      shown?.failedCount == 1 && shown?.nextTime == nil, "A job whose last date has failed for good stays.")
    let earlier = passed - .seconds(60)
    _ = try await store.answer(PutRequest(job: name, handler: handler, date: earlier))
    let second = try unwrap(
      try await claim(session, 3).runs.first, "A failed job that is put with another date is due at once.")
    try expect(
      second.from == earlier && date(of: second) == earlier,
      "A date without a record is run as it was given, also before one that has been run.")
    _ = try await store.end([lastEnd(of: second, .done)])
    _ = try await store.answer(PutRequest(job: name, handler: handler, date: earlier))
    let third = try unwrap(
      try await claim(session, 4).runs.first, "A job that is put again for its date is due at once.")
    try expect(
      third.from == earlier.next && date(of: third) == third.from,
      "A date with a record gives way to the moment after it.")
    try await checkAsked(name, during: third, by: session)
  }

  /// Checks a job that is asked for while its last date is run.
  private func checkAsked(_ name: String, during run: ClaimedRun, by session: UUID) async throws {
    _ = try await store.answer(AskRequest(job: name))
    _ = try await store.end([lastEnd(of: run, .done)])
    let asked = try unwrap(
      try await claim(session, 5).runs.first { $0.asked != nil },
      "A job whose last date is done stays for requested ranges.")
    var end = lastEnd(of: asked, .done)
    end.asked = asked.asked?.id
    _ = try await store.end([end])
    try expect(
      try await store.jobs(matching: name).isEmpty, "A job leaves the list with the last requested range.")
  }

  private func checkDelay(by session: UUID) async throws {
    let name = "Later \(UUID())"
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: gap))
    let early = try await claim(session, 6)
    try expect(
      early.runs.isEmpty && early.next.map { $0 > early.now && $0 <= early.now + gap } == true,
      "A job for later is due after its delay.")
    try await pass(gap)
    let run = try unwrap(try await claim(session, 7).runs.first, "A job for later is due after its delay.")
    try expect(
      run.from < run.until && early.next == date(of: run), "A job for later has one date.")
    try await checkRange()
    _ = try await store.end([lastEnd(of: run, .settled)])
    try expect(
      try await store.jobs(matching: name).count == 1, "A job whose last date wasn't run stays.")
    _ = try await store.answer(RemovalRequest(job: name))
  }

  /// Checks that a range belongs to the schedule, the handler and the payload with which it was claimed.
  private func checkRange() async throws {
    let (name, handler, other) = ("Range \(UUID())", "Range \(UUID())", "Range \(UUID())")
    let session = UUID()
    try await register(handlers: [handler, other], session)
    try await put(name, schedule: "one", payload: "first", handler: handler)
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try await put(name, schedule: "one", payload: "second", handler: handler)
    try expect(
      try await claim(session, 1, isRepeated: true).runs == [first],
      "A repeated claim brings the payload of the first one.")
    var retried = end(of: first, .retried)
    retried.next = first.until
    _ = try await store.end([retried])
    let second = try unwrap(try await claim(session, 2).runs.first, "A repeated run is due at its moment.")
    try expect(
      second.payload == "first" && second.attempt == 2, "A later attempt has the payload of the first one.")
    var done = end(of: second, .done)
    done.next = second.until
    _ = try await store.end([done])
    let third = try unwrap(try await claim(session, 3).runs.first, "A job is due at its next date.")
    try expect(third.payload == "second", "The range after it has the payload that was put.")
    // The run under way isn't tried again.
    try await put(name, schedule: "two", payload: "third", handler: handler)
    retried = end(of: third, .retried)
    retried.next = third.until + .seconds(3_600)
    _ = try await store.end([retried])
    try expect(
      try await store.jobs(matching: name).first?.failedCount == 1,
      "A run fails for good if its job was put with another schedule.")
    let fourth = try unwrap(
      try await claim(session, 4).runs.first, "A job that was put with another schedule waits for no retry.")
    try expect(
      fourth.attempt == 1 && fourth.schedule == "two" && fourth.payload == "third",
      "The range of a job that was put with another schedule is a new one.")
    try await put(name, schedule: "two", payload: "third", handler: other)
    // Its replica dies.
    try await store.close(session: session)
    let successor = UUID()
    try await register(handlers: [other], successor)
    let fifth = try unwrap(
      try await claim(successor, 1).runs.first, "A job that was put with another handler is that one's.")
    try expect(
      fifth.attempt == 1 && !fifth.isLost && fifth.handler == other && fifth.from > fourth.until,
      "A range isn't begun again by another handler.")
    _ = try await store.answer(RemovalRequest(job: name))
    _ = try await store.end([end(of: fifth, .done)])
    try await store.close(session: successor)
  }

  /// Checks a job that is put again during its run, and while another attempt waits.
  private func checkSecondPut(by session: UUID) async throws {
    let name = "Again \(UUID())"
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
    let first = try unwrap(
      try await claim(session, 8).runs.first, "A job that was put for now is due at once.")
    try await pass(.milliseconds(10))
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
    _ = try await store.end([lastEnd(of: first, .done)])
    let second = try unwrap(
      try await claim(session, 9).runs.first, "A job that was put during its run stays, and is due at once.")
    try expect(second.from > first.until && date(of: second) == second.from, "Each put for now has a date.")
    var retried = end(of: second, .retried)
    retried.next = second.until + .seconds(3_600)
    _ = try await store.end([retried])
    try await pass(.milliseconds(10))
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
    let shown = try await store.jobs(matching: name).first
    try expect(
      shown?.retry == nil && shown?.failedCount == 1, "A put with another date gives up the retry at once.")
    let third = try unwrap(
      try await claim(session, 10).runs.first, "A job that is put with another date waits for no retry.")
    try expect(
      third.attempt == 1 && third.from > second.until && date(of: third) == third.from
        && third.schedule != second.schedule,
      "The attempts that are left of an earlier date are given up.")
    _ = try await store.end([lastEnd(of: third, .done)])
    try await pass(.milliseconds(10))
    for delay in [gap * 3_600, .zero] {
      _ = try await store.answer(PutRequest(job: name, handler: handler, delay: delay))
    }
    let moved = try unwrap(
      try await claim(session, 11).runs.first, "A job that is put again for an earlier date is due.")
    try expect(
      date(of: moved).map { $0 <= moved.until && moved.from <= $0 } == true,
      "A job that is put again for an earlier date is run at it.")
    _ = try await store.end([lastEnd(of: moved, .done)])
  }

  /// Checks requests for a job that waits for its only date.
  private func checkAskedAhead() async throws {
    let (name, handler, session) = ("Ahead \(UUID())", "Ahead \(UUID())", UUID())
    try await register(handlers: [handler], session)
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: gap * 3_600, payload: "same"))
    let date = try unwrap(
      try await store.jobs(matching: name).first?.nextTime, "A job for later has a next date.")
    _ = try await store.answer(AskRequest(job: name, from: date.previous, through: date.previous))
    let other = try unwrap(
      try await claim(session, 1).runs.first, "A job with one date can be asked for another one.")
    var end = end(of: other, .done)
    (end.asked, end.next, end.schedule) = (other.asked?.id, date, other.schedule)
    _ = try await store.end([end])
    try expect(
      try await store.jobs(matching: name).first?.nextTime == date, "The job then waits for its date.")
    _ = try await store.answer(AskRequest(job: name))
    let run = try unwrap(
      try await claim(session, 2).runs.first, "A job that waits for its only date can be run now.")
    try expect(
      run.asked == nil && self.date(of: run).map { run.from <= $0 && $0 <= run.until } == true
        && run.payload == "same",
      "A run now takes the place of the only date.")
    _ = try await store.end([lastEnd(of: run, .done)])
    try expect(
      try await store.jobs(matching: name).isEmpty, "A job that was run in place of its date leaves the list."
    )
    try await store.close(session: session)
  }

  /// Returns the date of a run of a job with one date. Nil if its schedule's text can't be read.
  private func date(of run: ClaimedRun) -> StoreTime? {
    (try? ClusterDates(text: run.schedule, catchUp: .zero))?.date(after: StoreTime.zero)
  }

  /// The end of a run for the only date of a job.
  private func lastEnd(of run: ClaimedRun, _ outcome: RunEnd.Outcome) -> RunEnd {
    var end = RunEnd(
      token: run.token, outcome: outcome, through: run.until, schedule: run.schedule, missed: 0)
    if outcome != .settled { end.date = run.asked?.from ?? date(of: run) ?? run.from }
    return end
  }
}
