import Synchronization
import TimerScheduling

/// One replica of a cluster: its name, its view of the store's clock, and the leases of its runs.
final class ClusterReplica: Sendable {
  private struct State {
    /// The microseconds by which the store's clock is ahead of ``elapsed``.
    var lead: Int64 = 0
    var runs: [Int64: ActiveRun] = [:]
    /// Whether a renewal is scheduled or under way.
    var isRenewing = false
  }

  let name: String
  let store: any TimerStore
  let lease: Duration
  /// The scheduler that runs actions and heartbeats. It has the time of the user's scheduler and outlives its
  /// shutdown, so that runs that continue keep their leases.
  let companion: TimerScheduler
  private let state = Mutex(State())

  init(name: String, store: any TimerStore, lease: Duration, beside scheduler: TimerScheduler) {
    self.name = name
    self.store = store
    self.lease = lease
    companion = scheduler.makeCompanion(label: "TimerScheduling.cluster")
  }

  // MARK: Time

  /// The time on a clock that is never set.
  var elapsed: Duration { companion.clock.now.offset }

  /// The store's time, estimated from its last answer.
  var now: StoreTime {
    StoreTime(microseconds: state.withLock(\.lead) + elapsed.wholeMicroseconds)
  }

  /// Sends the store a request, waits at most a part of the lease, and sets the view of the store's clock by the
  /// answer.
  func ask<Answer: Sendable>(
    leasePart: Int = 3, _ question: @escaping @Sendable () async throws -> Answer,
    now time: (Answer) -> StoreTime
  ) async throws -> Answer {
    let sent = elapsed
    let answer = try await limited(leasePart: leasePart, question)
    let middle = sent + (elapsed - sent) / 2
    state.withLock { $0.lead = time(answer).microseconds - middle.wholeMicroseconds }
    return answer
  }

  func limited<Answer: Sendable>(
    leasePart: Int = 3, _ question: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await withTimeout(lease / leasePart, on: companion) { try await question() }
  }

  // MARK: Leases

  /// Keeps the lease of a run renewed from now on.
  func hold(_ run: ActiveRun) {
    let isFirst = state.withLock { state in
      defer { state.isRenewing = true }
      state.runs[run.claim.token] = run
      return !state.isRenewing
    }
    if isFirst { renew(after: lease / 3) }
  }

  /// Stops renewing the lease of a run.
  func release(_ run: ActiveRun) {
    state.withLock { $0.runs[run.claim.token] = nil }
  }

  /// Renews the leases of all runs after a wait, and again while there are runs: after each third of the lease, or
  /// after a twentieth if the store hasn't answered.
  private func renew(after wait: Duration) {
    companion.schedule(.after(wait)) { [weak self] _ in
      guard let self, let hasAnswer = await self.renew() else { return }
      self.renew(after: hasAnswer ? self.lease / 3 : self.lease / 20)
    }
  }

  /// Returns whether the store has answered, or nil if there are no runs.
  private func renew() async -> Bool? {
    let runs = state.withLock { state in
      state.isRenewing = !state.runs.isEmpty
      return state.runs
    }
    guard !runs.isEmpty else { return nil }
    let asked = elapsed
    // If there is no answer, each run has a timer that ends it in time. So a renewal that hangs leaves time for others.
    guard
      let answer = try? await ask(
        leasePart: 6, { [store, lease] in try await store.renew(Set(runs.keys), lease: lease) }, now: \.now)
    else { return false }
    for (token, run) in runs {
      if answer.tokens.contains(token) {
        run.renewed(at: asked)
      } else {
        run.lose(.takenOver(job: run.name, token: token))
      }
    }
    return true
  }
}
