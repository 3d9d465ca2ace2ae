import TimerSchedulingCluster
import TimerSchedulingFoundation

/// Limits of a handler for all replicas, and the keys that share them.
extension TimerStoreContract {
  func checkLimits() async throws {
    try await checkLimitInAll()
    try await checkLimitAfterLease()
    try await checkTurns()
    try await checkClaimsAtOnce()
  }

  func put(_ keys: [String?], of handler: String, set: Int = 1) async throws {
    let jobs = keys.enumerated().map { number, key in
      var job = PutRequest.Job(
        job: "\(handler) \(set) \(1_000 + number)", handler: handler, payload: "")
      (job.delay, job.key) = (0, key)
      return job
    }
    _ = try await store.answer(PutRequest(jobs))
  }

  func end(_ runs: [ClaimedRun]) async throws {
    _ = try await store.end(
      runs.map { run in
        var end = RunEnd(
          token: run.token, outcome: .done, through: run.until, schedule: run.schedule, missed: 0)
        end.date = run.from
        return end
      })
  }

  private func claim(
    _ session: UUID, _ number: Int64, _ handler: String, _ limits: HandlerLimits, limit: Int = 10
  ) async throws -> ClaimAnswer {
    try await store.answer(
      ClaimRequest(
        session: session, number: number, isRepeated: false, limit: limit, lease: lease.wholeMicroseconds,
        except: [], limits: [handler: limits]))
  }

  private func remove(_ handler: String) async throws {
    for name in try await store.jobs(of: handler).map(\.name) {
      _ = try await store.answer(RemovalRequest(job: name))
    }
  }

  /// Checks a limit in all, by two sessions of which one ends.
  private func checkLimitInAll() async throws {
    let (handler, old, new) = ("in all \(UUID())", UUID(), UUID())
    let limits = HandlerLimits(inAll: 3)
    try await register(handlers: [handler], old)
    try await register(handlers: [handler], new)
    try await put(Array(repeating: nil, count: 8), of: handler)
    let first = try await claim(old, 1, handler, limits, limit: 2).runs
    try expect(first.count == 2, "A claim brings rows within the limit in all.")
    let second = try await claim(new, 1, handler, limits)
    try expect(second.runs.count == 1, "A claim brings no more rows than the limit in all leaves.")
    let full = try await claim(new, 2, handler, limits)
    try expect(full.runs.isEmpty, "A claim brings no row of a handler that is full.")
    try expect(full.locked.isEmpty, "Rows of a handler that is full aren't locked.")
    try expect(full.next.map { $0 > full.now } ?? true, "Rows of a handler that is full aren't due.")
    try await end([first[0]])
    try expect(try await claim(new, 3, handler, limits).runs.count == 1, "An end makes room in all.")
    // The run of the session that ends is taken over within the limit.
    try await store.close(session: old)
    let taken = try await claim(new, 4, handler, limits).runs
    try expect(taken.count == 1, "A session that is over makes room in all.")
    try await end(second.runs + taken)
    try await remove(handler)
    try await store.close(session: new)
  }

  /// Checks a limit for a session that claims after the end of its lease, as its replica was suspended.
  private func checkLimitAfterLease() async throws {
    let (handler, session) = ("after a lease \(UUID())", UUID())
    try await register(handlers: [handler], session)
    try await put([nil, nil], of: handler)
    let first = try await claim(session, 1, handler, HandlerLimits(inAll: 1)).runs
    try expect(first.count == 1, "A claim brings rows within the limit in all.")
    try await pass(lease + .milliseconds(50))
    let late = try await claim(session, 2, handler, HandlerLimits(inAll: 1)).runs
    try expect(late.isEmpty, "Runs count for the limit in all until their session is over.")
    try await end(first)
    try await remove(handler)
    try await store.close(session: session)
  }

  /// Checks that a key with many rows leaves room to the others, and that each key has its limit.
  private func checkTurns() async throws {
    let (handler, session) = ("turns \(UUID())", UUID())
    try await register(handlers: [handler], session)
    try await put(Array(repeating: "a", count: 30) + ["b", "b", "c", "c"], of: handler)
    var (number, keys) = (Int64(0), [String]())
    for _ in 0..<6 {
      number += 1
      let runs = try await claim(session, number, handler, HandlerLimits(inAll: 1)).runs
      try expect(runs.count == 1, "A claim brings rows within the limit in all.")
      keys += runs.compactMap(\.key)
      try await end(runs)
    }
    try expect(
      keys == ["a", "b", "c", "a", "b", "c"], "Keys take turns, also if one of them has many older rows.")
    let limits = HandlerLimits(perKey: 2)
    var held: [ClaimedRun] = []
    for _ in 0..<4 {
      number += 1
      held += try await claim(session, number, handler, limits).runs
    }
    try expect(held.map(\.key) == ["a", "a"], "A claim brings no more rows of a key than its limit.")
    try await put(["b", "b", "b", nil, nil, nil], of: handler, set: 2)
    try await end([held[0]])
    for _ in 0..<4 {
      number += 1
      held += try await claim(session, number, handler, limits).runs
    }
    let counts = Dictionary(grouping: held.dropFirst()) { $0.key ?? "" }.mapValues(\.count)
    try expect(
      counts == ["a": 2, "b": 2, "": 3], "Each key has its limit, and rows without a key have none.")
    try await end(Array(held.dropFirst()))
    try await remove(handler)
    try await store.close(session: session)
  }

  /// Checks claims of several sessions at the same moment, whose runs end again.
  private func checkClaimsAtOnce() async throws {
    let handler = "at once \(UUID())"
    let limits = HandlerLimits(inAll: 5, perKey: 2)
    try await put((0..<60).map { "key \($0 % 4)" }, of: handler)
    let counts = RunCounts()
    try await withThrowingTaskGroup { group in
      for _ in 0..<6 {
        group.addTask {
          let session = UUID()
          try await register(handlers: [handler], session)
          var number: Int64 = 0
          while await counts.ended < 60, number < 400 {
            number += 1
            let answer = try await claim(session, number, handler, limits, limit: 3)
            // A session that was slow begins anew.
            if answer.isOver { return }
            await counts.begin(answer.runs)
            await Task.yield()
            await counts.end(answer.runs)
            try await end(answer.runs)
          }
          try await store.close(session: session)
        }
      }
      try await group.waitForAll()
    }
    let most = await (counts.most, counts.mostOfKey)
    try expect(most.0 <= 5, "Claims at the same moment keep the limit in all.")
    try expect(most.1 <= 2, "Claims at the same moment keep the limit of each key.")
    try await remove(handler)
  }

  /// The numbers of runs under way.
  private actor RunCounts {
    private(set) var ended = 0
    private(set) var most = 0
    private(set) var mostOfKey = 0
    private var running: [String: Int] = [:]

    func begin(_ runs: [ClaimedRun]) {
      for run in runs { running[run.key ?? "", default: 0] += 1 }
      most = max(most, running.values.reduce(0, +))
      mostOfKey = max(mostOfKey, running.values.max() ?? 0)
    }

    func end(_ runs: [ClaimedRun]) {
      for run in runs { running[run.key ?? "", default: 0] -= 1 }
      ended += runs.count
    }
  }
}
