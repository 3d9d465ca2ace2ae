import TimerScheduling
package import TimerSchedulingFoundation

/// A store in memory, for tests and for programs of one process.
///
/// It keeps the same contract as ``PostgresTimerStore``, and its contents end with the process. It uses the time of the first
/// cluster that has it, so with a virtual clock everything is exact:
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
///
/// The history holds the newest 100,000 runs.
public final class MemoryTimerStore: TimerStore {
  /// Guards the tables. While it is held, the clock that was given is read.
  private let state: Lock<MemoryTables>

  /// Creates a store that uses the time of the first scheduler that uses it.
  public init() { state = Lock(MemoryTables()) }

  /// Creates a store with a clock of its own, like a database's.
  ///
  /// - Parameter now: Returns the store's time. It is called under the store's lock, so it mustn't call the store.
  package init(now: @escaping @Sendable () -> Date) {
    var tables = MemoryTables()
    tables.clock = now
    state = Lock(tables)
  }

  /// Sets the clock of a store that has none.
  func adopt(_ now: @escaping @Sendable () -> Date) {
    state.withLock { if $0.clock == nil { $0.clock = now } }
  }

  /// Performs a request.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer { try performNow(request) }

  /// Performs a request. There is no transaction of the program's that could be rolled back.
  func performNow(_ request: StoreRequest) throws -> StoreAnswer {
    try state.withLock { try request.perform(on: &$0) }
  }
}
