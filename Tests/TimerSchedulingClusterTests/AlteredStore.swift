import TimerSchedulingCluster

/// A store in memory with other answers than it should give.
struct AlteredStore: TimerStore {
  struct Answers: Sendable {
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
  let answers: Answers

  func register(job: String, fingerprint: String) async throws -> JobRegistration {
    var fingerprint = fingerprint
    answers.fingerprint(&fingerprint)
    var registration = try await store.register(job: job, fingerprint: fingerprint)
    answers.registration(&registration)
    return registration
  }

  func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime) {
    var answer = try await store.claim(request)
    answers.verdict(&answer.verdict, request)
    return answer
  }

  func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (tokens: Set<Int64>, now: StoreTime) {
    var answer = try await store.renew(tokens, lease: lease)
    answers.renewed(&answer.tokens, tokens)
    return answer
  }

  func finish(job: String, token: Int64, failure: String?) async throws -> Bool {
    var isFinished = try await store.finish(job: job, token: token, failure: failure)
    answers.isFinished(&isFinished)
    return isFinished
  }

  func setPaused(_ isPaused: Bool, job: String) async throws -> Bool {
    var isKnown = try await store.setPaused(isPaused, job: job)
    answers.isKnown(&isKnown)
    return isKnown
  }

  func jobs() async throws -> [ClusterJob] {
    var jobs = try await store.jobs()
    for index in jobs.indices { answers.job(&jobs[index]) }
    return jobs
  }

  func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    var history = try await store.history(of: job, limit: limit)
    answers.history(&history)
    return history
  }

  func removeHistory(before time: StoreTime) async throws -> Int {
    var count = try await store.removeHistory(before: time)
    answers.removedCount(&count)
    return count
  }
}
