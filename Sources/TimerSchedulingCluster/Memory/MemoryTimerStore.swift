import Synchronization
import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
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
  private let state: Mutex<MemoryTables>

  /// Creates a store that uses the time of the first scheduler that uses it.
  public init() { state = Mutex(MemoryTables()) }

  /// Creates a store with a clock of its own, like a database's.
  ///
  /// - Parameter now: Returns the store's time. It is called under the store's lock, so it mustn't call the store.
  package init(now: @escaping @Sendable () -> Date) {
    var tables = MemoryTables()
    tables.now = now
    state = Mutex(tables)
  }

  /// Sets the clock of a store that has none.
  func adopt(_ now: @escaping @Sendable () -> Date) {
    state.withLock { if $0.now == nil { $0.now = now } }
  }

  /// Makes a session or renews it, and registers jobs.
  public func register(_ registration: SessionRegistration) async throws -> SessionAnswer {
    state.withLock { $0.register(registration) }
  }

  /// Claims rows that are due.
  public func claim(_ request: ClaimRequest) async throws -> ClaimAnswer {
    state.withLock { $0.claim(request) }
  }

  /// Ends runs.
  public func end(_ ends: [RunEnd]) async throws -> EndAnswer {
    state.withLock { state in
      let now = state.time
      return EndAnswer(now: now, verdicts: ends.map { state.end($0, now: now) })
    }
  }

  /// Renews the lease of a session.
  public func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer {
    state.withLock { $0.renew(session, lease: lease, givenUp: Set(givenUp)) }
  }

  /// Ends a session.
  public func close(session: UUID) async throws {
    state.withLock { $0.sessions[session]?.isOver = true }
  }

  /// Pauses a job for all replicas, or resumes it.
  public func setPaused(_ isPaused: Bool, job name: String) async throws -> Bool {
    state.withLock { state in
      let now = state.time
      state.rows[name]?.setPaused(isPaused, now: now)
      return state.rows[name] != nil
    }
  }

  /// Returns all jobs, sorted by name.
  public func jobs() async throws -> [ClusterJob] {
    state.withLock { state in
      state.rows.values.map { state.job(of: $0) }.sorted { $0.name < $1.name }
    }
  }

  /// Returns the newest runs, newest first.
  public func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    state.withLock { $0.history(of: job, limit: limit) }
  }

  /// Deletes the records of old runs.
  public func removeHistory(before time: StoreTime) async throws -> Int {
    state.withLock { $0.removeHistory(before: time) }
  }
}
