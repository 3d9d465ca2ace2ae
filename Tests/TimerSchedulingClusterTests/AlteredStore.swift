import TimerSchedulingCluster

/// A store in memory that alters the fingerprints it is given, or its alterations.
struct AlteredStore: TimerStore {
  struct Alterations: Sendable {
    var fingerprint: @Sendable (inout String) -> Void = { _ in }
    var registration: @Sendable (inout JobRegistration) -> Void = { _ in }
    var verdict: @Sendable (inout ClaimVerdict, ClaimRequest) -> Void = { _, _ in }
    var renewed: @Sendable (inout Set<Int64>, _ asked: Set<Int64>) -> Void = { _, _ in }
    var isFinished: @Sendable (inout Bool) -> Void = { _ in }
    var isKnown: @Sendable (inout Bool) -> Void = { _ in }
    var job: @Sendable (inout ClusterJob) -> Void = { _ in }
    var history: @Sendable (inout [ClusterRunRecord]) -> Void = { _ in }
    var removedCount: @Sendable (inout Int) -> Void = { _ in }
  }

  let store: MemoryTimerStore
  let alterations: Alterations

  func register(job: String, fingerprint: String) async throws -> JobRegistration {
    var fingerprint = fingerprint
    alterations.fingerprint(&fingerprint)
    var registration = try await store.register(job: job, fingerprint: fingerprint)
    alterations.registration(&registration)
    return registration
  }

  func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime) {
    var answer = try await store.claim(request)
    alterations.verdict(&answer.verdict, request)
    return answer
  }

  func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (tokens: Set<Int64>, now: StoreTime) {
    var answer = try await store.renew(tokens, lease: lease)
    alterations.renewed(&answer.tokens, tokens)
    return answer
  }

  func finish(job: String, token: Int64, failure: String?) async throws -> Bool {
    var isFinished = try await store.finish(job: job, token: token, failure: failure)
    alterations.isFinished(&isFinished)
    return isFinished
  }

  func setPaused(_ isPaused: Bool, job: String) async throws -> Bool {
    var isKnown = try await store.setPaused(isPaused, job: job)
    alterations.isKnown(&isKnown)
    return isKnown
  }

  func jobs() async throws -> [ClusterJob] {
    var jobs = try await store.jobs()
    for index in jobs.indices { alterations.job(&jobs[index]) }
    return jobs
  }

  func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    var history = try await store.history(of: job, limit: limit)
    alterations.history(&history)
    return history
  }

  func removeHistory(before time: StoreTime) async throws -> Int {
    var count = try await store.removeHistory(before: time)
    alterations.removedCount(&count)
    return count
  }
}
