import TimerScheduling
package import TimerSchedulingFoundation

/// A store in memory, for tests and for programs of one process.
///
/// It keeps the same contract as ``PostgresTimerStore``. Its contents end with the process, and its history
/// has the newest 100,000 runs. With a virtual clock everything is exact:
///
/// ```swift
/// let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
/// cluster.schedule(.every(.seconds(60), starting: .aligned), name: "bill") { run in
///   print(run.scheduledDate)
/// }
/// await clock.advance(by: .seconds(60))
/// ```
/// ```text
/// 2001-01-01 00:01:00 +0000
/// ```
public final class MemoryTimerStore: TimerStore {
  /// Guards the tables. The clock is read under it.
  private let state: Lock<MemoryTables>

  /// Creates a store that has the time of the scheduler of the first cluster that uses it.
  public init() { state = Lock(MemoryTables()) }

  /// Creates a store with a clock of its own, like a database's.
  package init(now: @escaping @Sendable () -> Date) { state = Lock(MemoryTables(clock: now)) }

  func adopt(_ now: @escaping @Sendable () -> Date) {
    state.withLock { if $0.clock == nil { $0.clock = now } }
  }

  /// Performs a request.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer { try performNow(request) }

  func performNow(_ request: StoreRequest) throws -> StoreAnswer {
    StoreAnswer(try request.call.perform(on: self))
  }
}

extension MemoryTimerStore: RowStore {
  package func read(_ query: RowQuery) throws -> RowSet { try state.withLock { try $0.bring(query) } }

  package func write(_ rows: RowSet) throws -> Bool { try state.withLock { try $0.write(rows) } }

  package func runs(of job: String?, limit: Int) -> [ClusterRunRecord] {
    state.withLock { $0.runs(of: job, limit: limit) }
  }

  package func removeRuns(before time: StoreTime?, keeping count: Int?, limit: Int) -> Int {
    state.withLock { $0.removeRuns(before: time, keeping: count, limit: limit) }
  }
}
