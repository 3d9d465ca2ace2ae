import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Pauses of a handler and of the cluster.
extension TimerStoreContract {
  func checkPauses() async throws {
    let (handler, session) = ("Paused \(UUID())", UUID())
    let names = ["early", "late", "once", "single"].map { "Paused \($0) \(UUID())" }
    for name in [names[0], names[3]] { try await put(name, schedule: "one", handler: handler) }
    try await register(handlers: [handler], session)
    try await pass(.milliseconds(10))
    try await setPaused(true, handler)
    _ = try await store.answer(PauseRequest(handler: handler, isPaused: true, by: "bob", reason: ""))
    let shown = try await pauses().filter { $0.handler == handler }
    try expect(
      shown.map(\.by) == ["ann"] && shown.map(\.reason) == ["a repair"],
      "A pause of a handler is shown, with who has paused it first, and why.")
    try await put(names[1], schedule: "one", handler: handler)
    _ = try await store.answer(PutRequest(job: names[2], handler: handler, delay: .zero))
    _ = try await pause(names[3], true)
    try expect(
      try await store.jobs(matching: names[0]).first?.isPaused == false,
      "A pause of a handler writes no row of a job.")
    let paused = try await claim(session, 1)
    try expect(
      paused.runs.isEmpty && paused.next == nil && !paused.unhandled.contains(handler),
      "The jobs of a paused handler aren't claimed, also those that come later.")
    try expect(
      try await isPaused(names[0]), "A date of a job whose handler is paused is told as one of a pause.")
    try await pass(.milliseconds(10))
    try await setPaused(false, handler)
    try expect(try await pauses().allSatisfy { $0.handler != handler }, "A pause that has ended isn't shown.")
    let runs = try await claim(session, 2).runs.sorted { $0.job < $1.job }
    try expect(
      runs.map(\.job) == Array(names[0...2]),
      "When a handler is resumed, its jobs are claimed, but for those that are paused by themselves.")
    try expect(
      runs[0].until == shown.first?.began, "A date that was due before a handler's pause is run after it.")
    try expect(runs[1].from > paused.now, "The dates of a handler's pause aren't run.")
    try expect(
      runs[2].from <= paused.now, "A job that was put for one date keeps it when its handler is paused.")
    let skipped = try await store.history(of: names[1], limit: 1).first?.skipped.last
    try expect(
      skipped?.reason == .paused && skipped?.by == "ann" && skipped?.note == "a repair",
      "The record of a run says which dates a pause of the handler has left out.")
    _ = try await store.end(runs.map { end(of: $0, .done) })
    let next = try await checkLeftOut(runs[0], after: paused.now, by: session)
    try await checkClusterPause(next, by: session)
    try await checkOutdatedRange(handler, by: session)
    for name in names { _ = try await store.answer(RemovalRequest(job: name)) }
    try await store.close(session: session)
  }

  /// Checks the claim after that of a date which was due before a pause.
  private func checkLeftOut(
    _ run: ClaimedRun, after paused: StoreTime, by session: UUID
  ) async throws -> ClaimedRun {
    try await pass(gap)
    let next = try unwrap(
      try await claim(session, 3).runs.first { $0.job == run.job }, "A job is claimed again after its date.")
    try expect(
      next.from > paused, "The dates of a pause aren't run, also if one from before it was run after it.")
    let skipped = try await store.history(of: run.job, limit: 1).first?.skipped
    try expect(
      skipped?.map(\.reason) == [.paused] && skipped?.first?.first == run.until.next
        && skipped?.last?.last == next.from.previous,
      "The record of the run after it says which dates the pause has left out.")
    return next
  }

  /// Checks a pause of the cluster that begins while a run is under way.
  private func checkClusterPause(_ due: ClaimedRun, by session: UUID) async throws {
    let name = due.job
    try await setPaused(true, nil)
    let pause = try unwrap(try await pauses().first, "A pause of the cluster is shown.")
    try expect(pause.handler == nil && pause.by == "ann", "A pause of the cluster is shown first.")
    var end = end(of: due, .done)
    end.next = pause.began.next
    _ = try await store.end([end])
    try await pass(.milliseconds(10))
    let paused = try await claim(session, 4)
    try expect(paused.runs.isEmpty && paused.next == nil, "While the cluster is paused, nothing is claimed.")
    try expect(
      try await isPaused(name), "A date of a job is told as one of a pause while the cluster is paused.")
    try await setPaused(false, nil)
    let run = try unwrap(
      try await claim(session, 5).runs.first { $0.job == name },
      "When the cluster is resumed, jobs are claimed.")
    try expect(run.from > paused.now, "The dates of a pause of the cluster aren't run.")
    _ = try await store.end([self.end(of: run, .done)])
  }

  /// Checks a pause of a job that was put with another schedule while its run was abandoned.
  private func checkOutdatedRange(_ handler: String, by session: UUID) async throws {
    let (name, gone) = ("Paused abandoned \(UUID())", UUID())
    try await put(name, schedule: "one", handler: handler)
    try await register(handlers: [handler], gone)
    try await pass(.milliseconds(10))
    try expect(try await claim(gone, 1).runs.contains { $0.job == name }, "A job that was put is claimed.")
    try await store.close(session: gone)
    try await setPaused(true, handler)
    try await put(name, schedule: "two", handler: handler)
    try await pass(.milliseconds(10))
    let paused = try await claim(session, 6)
    try await setPaused(false, handler)
    let run = try unwrap(
      try await claim(session, 7).runs.first { $0.job == name }, "A run that was abandoned is claimed.")
    try expect(
      run.attempt == 1 && run.schedule == "two" && run.from > paused.now,
      "The dates of a pause aren't run, also after a put with another schedule while the run was abandoned.")
    _ = try await store.end([end(of: run, .done)])
    _ = try await store.answer(RemovalRequest(job: name))
  }

  private func setPaused(_ isPaused: Bool, _ handler: String?) async throws {
    _ = try await store.answer(
      PauseRequest(handler: handler, isPaused: isPaused, by: "ann", reason: "a repair"))
  }

  private func pauses() async throws -> [ClusterPause] { try await store.answer(PausesRequest()).pauses }

  private func isPaused(_ name: String) async throws -> Bool {
    let row = try await store.answer(DateRequest(job: name, date: .zero)).row
    return row.map { $0.isPaused && $0.pausedBy == "ann" && $0.pauseReason == "a repair" } ?? false
  }
}
