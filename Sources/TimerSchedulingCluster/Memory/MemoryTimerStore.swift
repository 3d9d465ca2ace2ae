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
  /// A replica that is told of the next change. One that rests holds no row, and its session is renewed
  /// before each request.
  private typealias Listener = (session: UUID, isResting: Bool, tell: @Sendable () -> Void)

  private struct State {
    var tables: MemoryTables
    /// The virtual clock that the store has adopted.
    var virtual: ObjectIdentifier?
    /// In the order in which they have begun to listen.
    var listeners: [Listener] = []
    /// The number of changes that listeners are told of.
    var changeCount = 0

    var resting: [UUID] { listeners.filter(\.isResting).map(\.session) }
  }

  /// Guards the tables and the listeners. The clock is read under it.
  private let state: Lock<State>

  /// Creates a store that has the time of the scheduler of the first cluster that uses it.
  public init() { state = Lock(State(tables: MemoryTables())) }

  /// Creates a store with a clock of its own, like a database's.
  package init(now: @escaping @Sendable () -> Date) {
    state = Lock(State(tables: MemoryTables(clock: now)))
  }

  /// Takes a scheduler's time, unless the store has a clock. Returns whether its clock is the scheduler's
  /// virtual one.
  func adopt(_ now: @escaping @Sendable () -> Date, of virtual: (any VirtualSchedulers)?) -> Bool {
    state.withLock { state in
      let id = virtual.map { ObjectIdentifier($0) }
      if state.tables.clock == nil { (state.tables.clock, state.virtual) = (now, id) }
      return id != nil && id == state.virtual
    }
  }

  /// Performs a request.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer { try performNow(request) }

  func performNow(_ request: StoreRequest) throws -> StoreAnswer {
    StoreAnswer(try request.call.perform(on: self))
  }
}

/// How the store tells replicas of changes.
extension MemoryTimerStore {
  /// Has a replica told of the next change, unless there was one since `count` changes: then returns nil.
  /// Returns the moment until which a replica that rests makes no request otherwise, as time alone changes no
  /// answer.
  package func listen(
    for session: UUID, isResting: Bool, since count: Int, _ tell: @escaping @Sendable () -> Void
  ) -> StoreTime? {
    state.withLock { state in
      guard state.changeCount == count else { return nil }
      state.listeners.append((session, isResting, tell))
      return isResting ? state.tables.nextMoment(renewing: state.resting) ?? .distantFuture : .zero
    }
  }

  /// Tells a replica of no change from now on. Returns the number of changes so far.
  package func endListening(for session: UUID) -> Int {
    state.withLock { state in
      if let place = state.listeners.firstIndex(where: { $0.session == session }) {
        if state.listeners.remove(at: place).isResting { state.tables.renew([session]) }
      }
      return state.changeCount
    }
  }

  func nextRemoval(_ limits: HistoryLimits) -> StoreTime? {
    state.withLock { $0.tables.nextRemoval(limits) }
  }
}

extension MemoryTimerStore: RowStore {
  package func read(_ query: RowQuery) throws -> RowSet {
    try state.withLock { state in
      state.tables.renew(state.resting)
      return try state.tables.bring(query)
    }
  }

  package func write(_ rows: RowSet) throws -> Bool {
    let (isWritten, told) = try state.withLock { state -> (Bool, [Listener]) in
      guard try state.tables.write(rows) else { return (false, []) }
      guard rows.concernsOthers else { return (true, []) }
      state.changeCount += 1
      defer { state.listeners = [] }
      return (true, state.listeners)
    }
    for listener in told { listener.tell() }
    return isWritten
  }

  package func runs(of job: String?, limit: Int) -> [ClusterRunRecord] {
    state.withLock { $0.tables.runs(of: job, limit: limit) }
  }

  package func removeRuns(_ removal: HistoryRemoval) -> Int {
    state.withLock { $0.tables.removeRuns(removal) }
  }
}
