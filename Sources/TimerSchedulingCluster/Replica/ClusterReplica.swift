import Synchronization
import TimerScheduling

/// One replica of a cluster: its name, its view of the store's clock, and the leases of its runs.
final class ClusterReplica: Sendable {
  private struct State {
    /// The microseconds by which the store's clock is ahead of ``elapsed``.
    var lead: Int64 = 0
    var runs: [Int64: ActiveRun] = [:]
    var heartbeat: ScheduledTimer?
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

  /// Sends the store a request, waits at most a third of the lease, and sets the view of the store's clock by the
  /// answer.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable () async throws -> Answer, now time: (Answer) -> StoreTime
  ) async throws -> Answer {
    let sent = elapsed
    let answer = try await limited(question)
    let middle = sent + (elapsed - sent) / 2
    state.withLock { $0.lead = time(answer).microseconds - middle.wholeMicroseconds }
    return answer
  }

  func limited<Answer: Sendable>(_ question: @escaping @Sendable () async throws -> Answer) async throws
    -> Answer
  {
    try await withTimeout(lease / 3, on: companion) { try await question() }
  }

  // MARK: Leases

  /// Keeps the lease of a run renewed from now on.
  func hold(_ run: ActiveRun) {
    let isFirst = state.withLock { state in
      state.runs[run.claim.token] = run
      return state.heartbeat == nil
    }
    guard isFirst else { return }
    let heartbeat = companion.schedule(.every(lease / 3)) { [weak self] _ in await self?.renew() }
    state.withLock { $0.heartbeat = heartbeat }
  }

  /// Stops renewing the lease of a run.
  func release(_ run: ActiveRun) {
    let heartbeat = state.withLock { state in
      state.runs[run.claim.token] = nil
      guard state.runs.isEmpty else { return ScheduledTimer?.none }
      defer { state.heartbeat = nil }
      return state.heartbeat
    }
    heartbeat?.cancel()
  }

  private func renew() async {
    let runs = state.withLock(\.runs)
    guard !runs.isEmpty else { return }
    let asked = elapsed
    // If there is no answer, each run has a timer that ends it in time.
    guard
      let answer = try? await ask(
        { [store, lease] in try await store.renew(Set(runs.keys), lease: lease) }, now: \.now)
    else { return }
    for (token, run) in runs {
      if answer.tokens.contains(token) {
        run.renewed(at: asked)
      } else {
        run.lose(.takenOver(job: run.name, token: token))
      }
    }
  }
}
