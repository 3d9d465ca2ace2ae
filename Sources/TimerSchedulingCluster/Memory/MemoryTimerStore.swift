import Synchronization
import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A store in memory, for tests and for programs of one process.
///
/// It keeps the same contract as ``PostgresTimerStore``, and its contents end with the process. It uses the time of the
/// first scheduler that uses it, so with a virtual clock everything is exact:
///
/// ```swift
/// let cluster = TimerCluster(store: MemoryTimerStore())
/// scheduler.schedule(.every(.seconds(60), starting: .aligned), name: "bill", in: cluster) { run in
///   print(run.scheduledDate)
/// }
/// await clock.advance(by: .seconds(60))
/// ```
/// ```text
/// 2001-01-01 00:01:00 +0000
/// ```
///
/// The history holds the newest 100,000 runs.
public final class MemoryTimerStore: TimerStore {
  private struct State {
    var now: (@Sendable () -> Date)?
    var jobs: [String: MemoryJob] = [:]
    var history: [ClusterRunRecord] = []
    var lastToken: Int64 = 0

    var time: StoreTime { StoreTime(now?() ?? Date()) }

    /// Changes the record of a run if the history still has it, and returns whether it does.
    mutating func update(_ token: Int64, _ change: (inout ClusterRunRecord) -> Void) -> Bool {
      // Tokens grow, so the newest runs are at the end.
      guard let index = history.lastIndex(where: { $0.token == token }) else { return false }
      change(&history[index])
      return true
    }
  }

  private let state: Mutex<State>

  /// Creates a store that uses the time of the first scheduler that uses it.
  public init() {
    state = Mutex(State())
  }

  /// Creates a store with a clock of its own, like a database's.
  ///
  /// - Parameter now: Returns the store's time. It is called under the store's lock, so it mustn't call the store.
  package init(now: @escaping @Sendable () -> Date) {
    state = Mutex(State(now: now))
  }

  /// Sets the clock of a store that has none.
  func adopt(_ now: @escaping @Sendable () -> Date) {
    state.withLock { if $0.now == nil { $0.now = now } }
  }

  /// Registers a job.
  public func register(job: String, fingerprint: String) async throws -> JobRegistration {
    state.withLock { state in
      let now = state.time
      var entry = state.jobs[job] ?? MemoryJob(name: job, fingerprint: fingerprint, now: now)
      if entry.fingerprint != fingerprint { (entry.fingerprint, entry.knownSince) = (fingerprint, now) }
      state.jobs[job] = entry
      return JobRegistration(cursor: entry.record.lastDate, knownSince: entry.knownSince, now: now)
    }
  }

  /// Claims a date of a job.
  public func claim(_ request: ClaimRequest) async throws -> (verdict: ClaimVerdict, now: StoreTime) {
    try state.withLock { state in
      let now = state.time
      guard var job = state.jobs[request.job] else { throw ClusterError.unknownJob(request.job) }
      let last = state.lastToken
      let effects = job.claim(request, now: now) {
        state.lastToken += 1
        return state.lastToken
      }
      state.jobs[request.job] = job
      if let token = effects.abandoned {
        _ = state.update(token) { ($0.outcome, $0.ended) = (.abandoned, now) }
      }
      if case .claimed(let claim) = effects.verdict, claim.token > last {
        if state.history.count >= 100_000 { state.history.removeFirst(10_000) }
        state.history.append(
          ClusterRunRecord(
            token: claim.token, job: request.job, scheduledDate: claim.date, attempt: claim.attempt,
            missedCount: claim.missedCount, replica: request.replica, began: now))
      }
      return (effects.verdict, now)
    }
  }

  /// Renews the leases of runs.
  public func renew(_ tokens: Set<Int64>, lease: Duration) async throws -> (
    tokens: Set<Int64>, now: StoreTime
  ) {
    state.withLock { state in
      let now = state.time
      var held: Set<Int64> = []
      for (name, job) in state.jobs {
        guard let token = job.running?.claim.token, tokens.contains(token) else { continue }
        state.jobs[name]?.running?.leaseEnd = now + lease
        held.insert(token)
      }
      return (held, now)
    }
  }

  /// Ends a run.
  public func finish(job name: String, token: Int64, failure: String?) async throws -> Bool {
    state.withLock { state in
      let now = state.time
      guard var job = state.jobs[name], job.running?.claim.token == token else {
        return state.history.last { $0.token == token }.map { $0.outcome == .done || $0.outcome == .failed }
          ?? false
      }
      job.running = nil
      if failure == nil { job.record.doneCount += 1 } else { job.record.failedCount += 1 }
      state.jobs[name] = job
      _ = state.update(token) {
        ($0.outcome, $0.ended, $0.failure) = (failure == nil ? .done : .failed, now, failure)
      }
      return true
    }
  }

  /// Pauses a job for all replicas, or resumes it.
  public func setPaused(_ isPaused: Bool, job name: String) async throws -> Bool {
    state.withLock { state in
      guard var job = state.jobs[name] else { return false }
      // The dates of the pause are settled, except for a run that was under way.
      if job.record.isPaused, !isPaused { job.record.lastDate = max(job.record.lastDate, state.time) }
      job.record.isPaused = isPaused
      state.jobs[name] = job
      return true
    }
  }

  /// Returns all jobs, sorted by name.
  public func jobs() async throws -> [ClusterJob] {
    state.withLock { state in
      let now = state.time
      return state.jobs.values.map { $0.record(at: now) }.sorted { $0.name < $1.name }
    }
  }

  /// Returns the newest runs, newest first.
  public func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    state.withLock { state in
      Array(state.history.reversed().lazy.filter { job == nil || $0.job == job }.prefix(limit))
    }
  }

  /// Deletes the records of old runs.
  public func removeHistory(before time: StoreTime) async throws -> Int {
    state.withLock { state in
      let count = state.history.count
      state.history.removeAll { $0.began < time && $0.outcome != .running }
      return count - state.history.count
    }
  }
}
