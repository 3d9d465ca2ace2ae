import TimerSchedulingCluster
import TimerSchedulingFoundation

/// The keys, limits and attempts that jobs are put with, and puts that keep an earlier job.
extension TimerStoreContract {
  func checkOptions() async throws {
    let (name, handler, session) = ("Options \(UUID())", "options \(UUID())", UUID())
    try await register(handlers: [handler], session)
    var job = PutRequest.Job(job: name, handler: handler, payload: "")
    (job.delay, job.key, job.options) = (0, "tenant 7", JobOptions(attempts: 1, within: 5_000_000))
    _ = try await store.answer(PutRequest([job]))
    let first = try unwrap(try await claim(session, 1).runs.first, "A job with options is due at once.")
    try expect(
      first.key == "tenant 7" && first.options == job.options && first.postponed == 0,
      "A claim brings a job's key and options.")
    try expect(
      try await claim(session, 1, isRepeated: true).runs == [first], "A repeated claim brings the same.")
    try expect(
      try await store.jobs(of: handler).map(\.key) == ["tenant 7"], "A list has the keys of jobs.")
    try await checkPostponed(first, by: session)
    (job.key, job.options) = (nil, nil)
    _ = try await store.answer(PutRequest([job]))
    let last = try unwrap(try await claim(session, 5).runs.first, "A job that is put again is due at once.")
    try expect(
      last.key == nil && (last.options ?? JobOptions()) == JobOptions() && last.postponed == 0,
      "A put without a key and options takes those of the job away.")
    var end = RunEnd(
      token: last.token, outcome: .settled, through: last.until, schedule: last.schedule, missed: 0)
    end.skipped = [SkippedDates(from: last.from, through: last.from, reason: .tooOld)]
    _ = try await store.end([end])
    let given = try await store.jobs(of: handler, in: .failed).first
    try expect(
      given?.lastTime == last.from, "A job whose last date is too old has failed for good, for that date.")
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: session)
  }

  /// Checks a date that is postponed, and whose next claim is released.
  private func checkPostponed(_ first: ClaimedRun, by session: UUID) async throws {
    func again(after run: ClaimedRun, _ outcome: RunEnd.Outcome, _ number: Int64) async throws -> ClaimedRun {
      var end = self.end(of: run, outcome)
      if outcome == .postponed { (end.date, end.next) = (run.from, run.until) }
      _ = try await store.end([outcome == .released ? RunEnd(releasing: run) : end])
      return try unwrap(try await claim(session, number).runs.first, "A date that is left is due again.")
    }
    let second = try await again(after: first, .postponed, 2)
    try expect(
      second.postponed == 1 && second.attempt == 1 && second.from == first.from,
      "A postponed date keeps its range and its attempts, and counts its postponements.")
    let third = try await again(after: second, .released, 3)
    try expect(
      third.postponed == 1 && third.attempt == 1 && third.until == first.until,
      "A postponed date keeps its range when its claim is released.")
    var end = self.end(of: third, .done)
    (end.date, end.next, end.schedule) = (third.from, third.until, "")
    _ = try await store.end([end])
    let fourth = try unwrap(try await claim(session, 4).runs.first, "A changed job is due at once.")
    try expect(fourth.postponed == 0, "The next date begins without postponements.")
    end = RunEnd(
      token: fourth.token, outcome: .settled, through: fourth.until, schedule: fourth.schedule, missed: 0)
    _ = try await store.end([end])
  }

  func checkUnless() async throws {
    let (name, handler, session) = ("Unless \(UUID())", "unless \(UUID())", UUID())
    try await register(handlers: [handler], session)
    @Sendable func put(_ payload: String, unless: Int64) async throws -> Bool {
      var job = PutRequest.Job(job: name, handler: handler, payload: payload)
      (job.delay, job.unless) = (0, unless)
      return try await store.answer(PutRequest([job])).isPut
    }
    let count = try await withThrowingTaskGroup { group in
      for number in 0..<8 { group.addTask { try await put("\(number)", unless: 0) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    try expect(count == 1, "Of puts at the same moment that keep an earlier job, one has an effect.")
    let hour: Int64 = 3_600_000_000
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    let kept = try await [put("new", unless: 0), put("new", unless: hour)]
    try expect(kept == [false, false], "A job whose run is under way is kept.")
    var end = RunEnd(
      token: first.token, outcome: .failed, through: first.until, schedule: first.schedule, missed: 0)
    end.date = first.from
    _ = try await store.end([end])
    try expect(
      try await !put("new", unless: hour), "A job isn't put while a run of it has begun within the time.")
    let shown = try await store.jobs(of: handler).first
    try expect(
      shown?.payload == first.payload && shown?.state == .failed, "A put without an effect changes nothing.")
    try expect(try await put("new", unless: 0), "A job that has failed for good is put again.")
    let second = try unwrap(try await claim(session, 2).runs.first, "A job that is put again is due at once.")
    try expect(second.payload == "new", "A job that is put again has the new payload.")
    end = RunEnd(
      token: second.token, outcome: .done, through: second.until, schedule: second.schedule, missed: 0)
    end.date = second.from
    _ = try await store.end([end])
    try expect(
      try await !put("third", unless: hour), "A job that is done and gone is still known by its run.")
    try expect(try await store.jobs(of: handler).isEmpty, "A job that isn't put isn't there.")
    try await pass(.milliseconds(10))
    try expect(try await put("third", unless: 5_000), "A job is put once its run has begun long enough ago.")
    _ = try await store.answer(RemovalRequest(job: name))
    try await store.close(session: session)
  }

  /// Checks the removal of records apart from those of failed and abandoned runs.
  func checkFailedHistory() async throws {
    let (handler, session) = ("kept \(UUID())", UUID())
    try await register(handlers: [handler], session)
    let names = ["done", "failed"].map { "\($0) \(UUID())" }
    for name in names { _ = try await store.answer(PutRequest(job: name, handler: handler, delay: .zero)) }
    let runs = try await claim(session, 1).runs
    try expect(runs.count == 2, "Jobs that were put are due at once.")
    _ = try await store.end(
      runs.map { run in
        var end = RunEnd(
          token: run.token, outcome: run.job == names[0] ? .done : .failed, through: run.until,
          schedule: run.schedule, missed: 0)
        end.date = run.from
        return end
      })
    let moment = runs[0].until + .seconds(60)
    func remove(_ removal: HistoryRemoval) async throws -> [Int] {
      while try await store.answer(removal).count == removal.limit {}
      var counts: [Int] = []
      for name in names { counts.append(try await store.history(of: name, limit: 10).count) }
      return counts
    }
    try expect(
      try await remove(HistoryRemoval(before: moment, failedBefore: .zero, keeping: 0)) == [0, 1],
      "Records of failed runs stay for their own time.")
    try expect(
      try await remove(HistoryRemoval(failedBefore: moment)) == [0, 0], "Records of failed runs go after it.")
    _ = try await store.answer(RemovalRequest(job: names[1]))
    try await store.close(session: session)
  }
}
