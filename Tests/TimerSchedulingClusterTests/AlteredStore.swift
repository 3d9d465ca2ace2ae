import Foundation
import TimerSchedulingCluster

/// A store in memory that alters the requests it is given, or its answers.
struct AlteredStore: TimerStore {
  struct Alterations: Sendable {
    var registration: @Sendable (inout SessionRegistration) -> Void = { _ in }
    var registered: @Sendable (inout SessionAnswer) -> Void = { _ in }
    var request: @Sendable (inout ClaimRequest) -> Void = { _ in }
    var claimed: @Sendable (inout ClaimAnswer, ClaimRequest) -> Void = { _, _ in }
    var ends: @Sendable (inout [RunEnd]) -> Void = { _ in }
    var ended: @Sendable (inout EndAnswer) -> Void = { _ in }
    var givenUp: @Sendable (inout [Int64]) -> Void = { _ in }
    var renewed: @Sendable (inout RenewalAnswer) -> Void = { _ in }
    var isClosed = true
    var isKnown: @Sendable (inout Bool) -> Void = { _ in }
    var job: @Sendable (inout ClusterJob) -> Void = { _ in }
    var history: @Sendable (inout [ClusterRunRecord]) -> Void = { _ in }
    var removedCount: @Sendable (inout Int) -> Void = { _ in }
  }

  let store: MemoryTimerStore
  let alterations: Alterations

  func register(_ registration: SessionRegistration) async throws -> SessionAnswer {
    var registration = registration
    alterations.registration(&registration)
    var answer = try await store.register(registration)
    alterations.registered(&answer)
    return answer
  }

  func claim(_ request: ClaimRequest) async throws -> ClaimAnswer {
    var altered = request
    alterations.request(&altered)
    var answer = try await store.claim(altered)
    alterations.claimed(&answer, request)
    return answer
  }

  func end(_ ends: [RunEnd]) async throws -> EndAnswer {
    var ends = ends
    alterations.ends(&ends)
    var answer = try await store.end(ends)
    alterations.ended(&answer)
    return answer
  }

  func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer {
    var givenUp = givenUp
    alterations.givenUp(&givenUp)
    var answer = try await store.renew(session: session, lease: lease, givenUp: givenUp)
    alterations.renewed(&answer)
    return answer
  }

  func close(session: UUID) async throws {
    if alterations.isClosed { try await store.close(session: session) }
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
