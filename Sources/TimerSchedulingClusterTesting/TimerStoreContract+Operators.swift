import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Runs that operators ask for and cancel.
extension TimerStoreContract {
  func checkAsked() async throws {
    let (name, session) = ("Asked \(UUID())", UUID())
    try await put(name, schedule: "one", payload: "")
    try await register(handlers: [handler], session)
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try expect(first.asked == nil, "A claim brings no range that no operator requested.")
    let dates = [10, 20].map { StoreTime(microseconds: first.from.microseconds - $0) }
    try expect(
      try await store.answer(AskRequest(job: name, from: dates[1], through: dates[0])).found,
      "A run can be requested while another is under way.")
    try expect(try await store.answer(AskRequest(job: name)).found, "A run can be requested for now.")
    try expect(
      try await !store.answer(AskRequest(job: "no \(name)")).found,
      "A run of an unknown job can't be requested."
    )
    _ = try await store.end([end(of: first, .done)])
    let second = try unwrap(
      try await claim(session, 2).runs.first, "A job is due at once after a run if other runs were requested."
    )
    let asked = try unwrap(second.asked, "A claim brings the requested range.")
    try expect(
      asked.from == dates[1] && asked.through == dates[0],
      "Requested ranges come in the order of their requests.")
    let begun = try await store.history(of: name, limit: 1).first
    try expect(
      begun?.isAsked == true && begun?.scheduledTime == nil,
      "A run of a requested range has no date before its end.")
    var end = end(of: second, .done)
    (end.date, end.asked, end.askedRest) = (dates[1], asked.id, dates[1].next)
    _ = try await store.end([end])
    let record = try await store.history(of: name, limit: 1).first
    try expect(
      record?.isAsked == true && record?.scheduledTime == dates[1],
      "A requested run is recorded as requested.")
    let shown = try await store.jobs(matching: name).first
    try expect(shown?.lastTime == nil, "A requested run isn't the last date.")
    let third = try unwrap(
      try await claim(session, 3).runs.first, "The rest of a requested range is due at once.")
    try expect(
      third.asked?.id == asked.id && third.asked?.from == dates[1].next, "The rest begins where the end says."
    )
    (end.token, end.through, end.askedRest) = (third.token, third.until, nil)
    _ = try await store.end([end])
    let fourth = try unwrap(
      try await claim(session, 4).runs.first, "The range that was requested next is due at once.")
    try expect(
      fourth.asked.map { $0.id != asked.id && $0.from == $0.through } == true, "A run for now has one moment."
    )
    try expect(
      try await store.history(of: name, limit: 1).first?.scheduledTime == fourth.asked?.from,
      "A run for one moment has it as its date.")
    try await checkLoss(of: fourth, name, from: session)
  }

  /// Checks a run that is given up, taken over and released.
  private func checkLoss(of run: ClaimedRun, _ name: String, from session: UUID) async throws {
    try expect(!run.isLost, "`isLost` is false until an attempt is abandoned.")
    try await store.close(session: session)
    let other = UUID()
    try await register(handlers: [handler], other)
    let lost = try unwrap(
      try await claim(other, 1).runs.first, "The rows of a closed session are claimed at once.")
    try expect(
      lost.isLost && lost.asked == run.asked, "A claim says that an attempt of its range was abandoned.")
    _ = try await store.end([self.end(of: lost, .released)])
    let again = try unwrap(try await claim(other, 2).runs.first, "A run that was released is due at once.")
    try expect(again.isLost, "A release doesn't forget an abandoned attempt.")
    var end = end(of: again, .done)
    (end.asked, end.next) = (again.asked?.id, again.until)
    _ = try await store.end([end])
    let last = try unwrap(try await claim(other, 3).runs.first, "A row is due at the date of the end.")
    try expect(
      !last.isLost && last.asked == nil, "The next range has no abandoned attempt, and none was requested."
    )
    _ = try await store.end([self.end(of: last, .done)])
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: other)
  }

  func checkCancellation() async throws {
    let (name, session) = ("Cancelled \(UUID())", UUID())
    try await put(name, schedule: "one", payload: "")
    try await register(handlers: [handler], session)
    try expect(
      try await !store.answer(CancelRequest(job: name, by: "ann")).found,
      "A job without a run isn't cancelled.")
    let run = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try expect(
      try await store.renew(session: session, lease: lease, givenUp: []).cancelled.isEmpty,
      "A run that no operator has cancelled goes on.")
    try expect(try await store.answer(CancelRequest(job: name, by: "ann")).found, "A run is cancelled.")
    let renewed = try await store.renew(session: session, lease: lease, givenUp: [])
    try expect(
      renewed.cancelled.map(\.token) == [run.token] && renewed.cancelled.map(\.by) == ["ann"]
        && renewed.tokens == [run.token],
      "A renewal says which runs are cancelled, and by whom.")
    _ = try await store.end([end(of: run, .retried)])
    try expect(
      try await store.jobs(matching: name).first?.failedCount == 1,
      "A run that was cancelled has failed, though its replica would try it again.")
    let second = try unwrap(
      try await claim(session, 2).runs.first, "The row of a run that was cancelled is due at its end.")
    let later = try await store.renew(session: session, lease: lease, givenUp: [])
    try expect(
      second.attempt == 1 && !second.isCancelled && later.cancelled.isEmpty,
      "A cancellation is of one range.")
    _ = try await store.answer(CancelRequest(job: name, by: "ann"))
    try await store.close(session: session)
    try await checkCancelled(name)
  }

  /// Checks a run that was cancelled and abandoned.
  private func checkCancelled(_ name: String) async throws {
    let session = UUID()
    try await register(handlers: [handler], session)
    for number in 1...2 {
      let run = try unwrap(
        try await claim(session, Int64(number)).runs.first, "A row that is left is claimed at once.")
      try expect(run.isCancelled, "A claim says that an attempt of its range was cancelled.")
      _ = try await store.end([end(of: run, number == 1 ? .released : .settled)])
    }
    try await put(name, schedule: "two", payload: "")
    let next = try unwrap(try await claim(session, 3).runs.first, "A changed job is due at once.")
    try expect(!next.isCancelled, "The next range isn't cancelled.")
    var retried = end(of: next, .retried)
    retried.next = next.until + .seconds(3_600)
    _ = try await store.end([retried])
    _ = try await store.answer(AskRequest(job: name))
    try expect(
      try await store.jobs(matching: name).first?.nextTime == retried.next, "A retry keeps its moment.")
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: session)
  }
}
