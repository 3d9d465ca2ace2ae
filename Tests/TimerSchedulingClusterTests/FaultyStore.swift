import Foundation
import Synchronization
import TimerSchedulingCluster

/// A store as one replica sees it, over a network that fails when a test says so.
final class FaultyStore: TimerStore {
  struct Unreachable: Error {}
  struct Refused: Error {}

  private struct State {
    var isReachable = true
    var lostAnswers = 0
    var delay: (@Sendable () -> Void)?
    var claims: [ClaimRequest] = []
    var questions = 0
    var renewals = 0
    var refusal: (@Sendable (_ failure: String?) -> Bool)?
  }

  private let store: MemoryTimerStore
  private let state = Mutex(State())

  init(_ store: MemoryTimerStore) { self.store = store }

  var isReachable: Bool {
    get { state.withLock(\.isReachable) }
    set { state.withLock { $0.isReachable = newValue } }
  }

  /// The claims that were asked for, whether or not they reached the store.
  var claims: [ClaimRequest] { state.withLock(\.claims) }

  /// The number of questions.
  var questions: Int { state.withLock(\.questions) }

  /// The number of renewals that were asked for.
  var renewals: Int { state.withLock(\.renewals) }

  /// Refuses the end of a run, as a database without the right to write it does, if `refusal` returns true for its
  /// failure.
  func refuseEnds(_ refusal: @escaping @Sendable (_ failure: String?) -> Bool) {
    state.withLock { $0.refusal = refusal }
  }

  /// Loses the answers to the next claims, after the store has performed them.
  func loseAnswers(_ count: Int) { state.withLock { $0.lostAnswers = count } }

  /// Calls `delay` once, after the store has performed the next claim and before the replica has the answer.
  func delayAnswer(by delay: @escaping @Sendable () -> Void) { state.withLock { $0.delay = delay } }

  private func reach() throws {
    let isReachable = state.withLock { state in
      state.questions += 1
      return state.isReachable
    }
    if !isReachable { throw Unreachable() }
  }

  func register(job: String, fingerprint: String) async throws -> JobRegistration {
    try reach()
    return try await store.register(job: job, fingerprint: fingerprint)
  }

  func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime) {
    state.withLock { $0.claims.append(request) }
    try reach()
    let answer = try await store.claim(request)
    state.withLock { $0.delay.take() }?()
    let isLost = state.withLock { state in
      guard state.lostAnswers > 0 else { return false }
      state.lostAnswers -= 1
      return true
    }
    if isLost { throw Unreachable() }
    return answer
  }

  func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (tokens: Set<Int64>, now: StoreTime) {
    state.withLock { $0.renewals += 1 }
    try reach()
    return try await store.renew(tokens, lease: lease)
  }

  func finish(job: String, token: Int64, failure: String?) async throws -> Bool {
    try reach()
    if state.withLock(\.refusal)?(failure) == true { throw Refused() }
    return try await store.finish(job: job, token: token, failure: failure)
  }

  func setPaused(_ isPaused: Bool, job: String) async throws -> Bool {
    try reach()
    return try await store.setPaused(isPaused, job: job)
  }

  func jobs() async throws -> [ClusterJob] { try await store.jobs() }

  func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    try await store.history(of: job, limit: limit)
  }

  func removeHistory(before time: StoreTime) async throws -> Int {
    try await store.removeHistory(before: time)
  }
}
