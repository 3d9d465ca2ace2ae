import TimerSchedulingCluster
import TimerSchedulingFoundation

/// The results of steps, and the jobs that are put as others are given up.
extension TimerStoreContract {
  func checkSteps() async throws {
    let (name, handler, session) = ("Steps \(UUID())", "steps \(UUID())", UUID())
    try await register(handlers: [handler], session)
    _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero))
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try expect(first.steps.isEmpty, "A date begins without results of steps.")
    func keep(_ step: String, _ value: String?, by run: ClaimedRun) async throws -> StepRequest.Answer {
      try await store.answer(StepRequest(token: run.token, step: step, value: value))
    }
    try expect(
      try await keep("charge", nil, by: first).verdict == .written, "A step that isn't done has no result.")
    let text = "\"it's „ß“ \\\\ \\u0000\""
    try expect(try await keep("charge", text, by: first).verdict == .written, "The result of a step is kept.")
    let known = try await [keep("charge", nil, by: first), keep("charge", "2", by: first)]
    try expect(
      known.allSatisfy { $0.verdict == .before && $0.value == text }, "The first result of a step stays.")
    async let one = keep("race", "1", by: first)
    async let other = keep("race", "2", by: first)
    let answers = try await [one, other]
    let kept = try unwrap(try await keep("race", nil, by: first).value, "A result that was kept is there.")
    try expect(
      answers.count { $0.verdict == .written } == 1
        && answers.allSatisfy { $0.verdict == .written || $0.value == kept },
      "Of two results of a step that come at once, one stays.")
    try expect(
      try await keep("large", String(repeating: "x", count: 65_536), by: first).verdict == .tooLarge,
      "The results of a date have a limit.")
    try expect(
      try await claim(session, 1, isRepeated: true).runs.map(\.steps)
        == [["charge": text, "race": kept]],
      "A repeated claim brings the results of steps.")
    // The replica dies.
    try await store.close(session: session)
    let successor = UUID()
    try await register(handlers: [handler], successor)
    let second = try unwrap(
      try await claim(successor, 1).runs.first, "The rows of a closed session are claimed at once.")
    try expect(second.steps == ["charge": text, "race": kept], "A later attempt gets the results of steps.")
    try expect(
      try await keep("mail", "1", by: first).verdict == .refused, "A run that was taken over keeps no result."
    )
    try expect(
      try await keep("mail", "{}", by: second).verdict == .written, "A later attempt does further steps.")
    var end = self.end(of: second, .retried)
    (end.date, end.next) = (second.until, second.until)
    _ = try await store.end([end])
    try expect(
      try await keep("late", "1", by: second).verdict == .refused, "A run that has ended keeps no result.")
    let third = try unwrap(try await claim(successor, 2).runs.first, "A repeated run is due at its moment.")
    try expect(
      third.steps == ["charge": text, "race": kept, "mail": "{}"],
      "A later attempt gets the results of all before.")
    end = self.end(of: third, .done)
    (end.date, end.next, end.schedule) = (third.until, third.until, "")
    _ = try await store.end([end])
    let next = try unwrap(try await claim(successor, 3).runs.first, "A changed job is due at once.")
    try expect(next.steps.isEmpty, "The next date begins without results of steps.")
    try await finish(next, name, successor)
  }

  private func finish(_ run: ClaimedRun, _ name: String, _ session: UUID) async throws {
    var end = RunEnd(
      token: run.token, outcome: .settled, through: run.until, schedule: run.schedule, missed: 0)
    end.next = nil
    _ = try await store.end([end])
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: session)
  }

  func checkGivenUp() async throws {
    let (handler, dead, session) = ("given up \(UUID())", "dead \(UUID())", UUID())
    let names = ["done", "failed", "old", "waits", "withdrawn", "removed"].map { "\($0) \(UUID())" }
    try await register(handlers: [handler], session)
    for name in names {
      _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero, payload: "of \(name)"))
    }
    let asked = StoreTime(microseconds: 10)
    _ = try await store.answer(AskRequest(job: names[4], from: asked, through: asked))
    let runs = try await claim(session, 1).runs.reduce(into: [:]) { $0[$1.job] = $1 }
    try expect(runs.count == names.count, "Jobs that were put are due at once.")
    _ = try await store.answer(RemovalRequest(job: names[5]))
    func end(_ name: String, _ outcome: RunEnd.Outcome) throws -> RunEnd {
      let run = try unwrap(runs[name], "Jobs that were put are due at once.")
      var end = RunEnd(
        token: run.token, outcome: outcome, through: run.until, schedule: run.schedule, missed: 0)
      (end.ifGivenUp, end.date) = (dead, outcome == .settled ? nil : run.from)
      (end.asked, end.failure) = (run.asked?.id, outcome == .done ? nil : "it's broken „ß“ \"")
      if outcome == .retried { end.next = run.until + .seconds(3_600) }
      if outcome == .settled {
        end.skipped = [SkippedDates(from: run.from, through: run.from, reason: .tooOld)]
      }
      return end
    }
    let ends = try [
      end(names[0], .done), end(names[1], .failed), end(names[2], .settled), end(names[3], .retried),
      end(names[4], .retried), end(names[5], .failed),
    ]
    func given() async throws -> [GivenUpJob] {
      try await store.jobs(of: dead, in: .due).map {
        try JSONDecoder().decode(GivenUpJob.self, from: Data($0.payload.utf8))
      }.sorted { $0.name < $1.name }
    }
    _ = try await store.end(ends)
    // The end of a run that is sent again puts nothing.
    _ = try await store.end(ends)
    let expected = names[1...2].map {
      GivenUpJob(name: $0, payload: "of \($0)", failure: "it's broken „ß“ \"")
    }
    try expect(
      try await given() == expected,
      "As a date is given up, a job is put with its job's name, payload and failure.")
    _ = try await store.answer(WithdrawalRequest(job: names[4]))
    try expect(try await given() == expected, "A request that is withdrawn isn't given up.")
    _ = try await store.answer(CancelRequest(job: names[3], by: "Ann"))
    try expect(
      try await given().last
        == GivenUpJob(
          name: names[3], payload: "of \(names[3])", failure: "it's broken „ß“ \" (given up by Ann)"),
      "An attempt that an operator cancels is given up.")
    for name in names + (try await store.jobs(of: dead).map(\.name)) {
      _ = try await store.answer(RemovalRequest(job: name))
    }
    try await store.close(session: session)
  }
}
