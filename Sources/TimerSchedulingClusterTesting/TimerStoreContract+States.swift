import TimerSchedulingCluster
import TimerSchedulingFoundation

/// What jobs do or wait for, as lists, backlogs and acts have it.
extension TimerStoreContract {
  func checkStates() async throws {
    let (name, handler, session) = ("States \(UUID())", "states \(UUID())", UUID())
    let names = ["job", "later", "paused"].map { "\(name) \($0)" }
    _ = try await store.answer(PutRequest(job: names[0], handler: handler, delay: .zero))
    _ = try await store.answer(PutRequest(job: names[1], handler: handler, delay: .seconds(3_600)))
    _ = try await store.answer(PutRequest(job: names[2], handler: handler, delay: .zero))
    _ = try await store.answer(PauseRequest(job: names[2], isPaused: true))
    let others: [ClusterJob.State: [String]] = [.waiting: [names[1]], .paused: [names[2]]]
    func expectState(_ state: ClusterJob.State) async throws {
      for listed in ClusterJob.State.allCases {
        let found = try await store.jobs(of: handler, in: listed)
        try expect(
          found.map(\.name) == (listed == state ? [names[0]] : []) + (others[listed] ?? [])
            && found.allSatisfy { $0.state == listed },
          "A list has the jobs in a state: of \(state), those that are \(listed).")
      }
      let backlog = try await store.answer(BacklogsRequest()).backlogs.first { $0.handler == handler }
      try expect(
        backlog?.dueCount == (state == .due ? 1 : 0) && backlog?.runningCount == (state == .running ? 1 : 0)
          && backlog?.retryingCount == (state == .retrying ? 1 : 0)
          && backlog?.failedCount == (state == .failed ? 1 : 0)
          && (backlog?.oldestDue != nil) == (state == .due),
        "A backlog counts the jobs in a state: those that are \(state).")
    }
    try await register(handlers: [handler], session)
    try await expectState(.due)
    try expect(
      try await store.jobs(of: "no \(handler)").isEmpty, "A list has the jobs of one handler.")
    let first = try unwrap(try await claim(session, 1).runs.first, "A job that was put is due at once.")
    try await expectState(.running)
    var end = end(of: first, .retried)
    (end.date, end.next) = (first.until, first.until + .seconds(3_600))
    _ = try await store.end([end])
    try await expectState(.retrying)
    try expect(
      try await !store.answer(RetryRequest(job: names[0], state: .failed)).found,
      "A retry leaves a job that isn't in its state.")
    try await expectState(.retrying)
    try expect(
      try await store.answer(RetryRequest(job: names[0], state: .retrying)).isRetried,
      "A retry begins the attempt of a job in its state.")
    try await expectState(.due)
    let second = try unwrap(
      try await claim(session, 2).runs.first, "An attempt that is retried is due at once.")
    end = self.end(of: second, .failed)
    (end.date, end.next, end.schedule) = (second.until, nil, second.schedule)
    _ = try await store.end([end])
    try await expectState(.failed)
    _ = try await store.answer(PauseRequest(handler: handler, isPaused: true))
    try expect(
      try await store.answer(BacklogsRequest()).backlogs.first { $0.handler == handler }?.isPaused == true,
      "A backlog says that its handler is paused.")
    _ = try await store.answer(PauseRequest(handler: handler, isPaused: false))
    try expect(
      try await !store.answer(RemovalRequest(job: names[0], state: .due)).found,
      "A removal leaves a job that isn't in its state.")
    try await expectState(.failed)
    try expect(
      try await store.answer(RemovalRequest(job: names[0], state: .failed)).found,
      "A removal takes a job in its state.")
    for name in names[1...] { _ = try await store.answer(RemovalRequest(job: name)) }
    let backlogs = try await store.answer(BacklogsRequest()).backlogs
    try expect(
      try await store.jobs(of: handler).isEmpty && backlogs.allSatisfy { $0.handler != handler },
      "A handler without jobs has no backlog.")
    try await store.close(session: session)
  }
}
