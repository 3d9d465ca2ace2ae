import TimerScheduling
import TimerSchedulingFoundation

/// A store in an SQLite database, for the processes of one machine.
///
/// The database is a file that the processes share, so dates survive restarts without a server. The program's
/// own client reaches it, and the product `TimerSQLite` of `Examples/Adapters` has one over GRDB. The store
/// needs SQLite 3.38 or later. Its time is the machine's or, in tests, that of the first virtual clock whose
/// scheduler uses it. Transactions of the program on the same file should be shorter than a third of the
/// lease, as they keep other writers waiting.
public struct SQLiteTimerStore: TimerStore {
  /// Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as text.
  public typealias Execute = (_ sql: String, _ parameters: [String?]) throws -> [[String?]]

  /// Runs a body within a transaction.
  public typealias Transaction =
    @Sendable (_ body: @escaping @Sendable (Execute) throws -> Void) async throws -> Void

  private let reading: Transaction?
  private let transaction: Transaction
  private let state = State()

  private final class State: Sendable {
    /// Guards whether the tables were made.
    let hasTables = Lock(false)
    /// Guards the clock of a scheduler in virtual time.
    let clock = Lock<(@Sendable () -> Date)?>(nil)
  }

  /// Sets the clock of a store that has none.
  func adopt(_ now: @escaping @Sendable () -> Date) { state.clock.withLock { $0 = $0 ?? now } }

  /// Creates a store, which makes its tables before its first request.
  ///
  /// - Parameters:
  ///   - reading: Runs a body within a transaction that only reads, and that keeps no writer waiting. Without
  ///     it, the store reads lists of jobs and runs in `transaction`, and all writers wait meanwhile.
  ///   - transaction: Runs a body within a transaction that begins with `BEGIN IMMEDIATE`. It commits if the
  ///     body returns, and rolls back if it throws. Many tasks call it at once. It should give up when its
  ///     task is cancelled.
  public init(reading: Transaction? = nil, transaction: @escaping Transaction) {
    (self.reading, self.transaction) = (reading, transaction)
  }

  /// Performs a request in a transaction of its own, which only reads if the request does.
  public func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    let answer = Lock<StoreAnswer?>(nil)
    // The first request makes the tables.
    let reading = type(of: request.call).isRead && state.hasTables.withLock(\.self) ? reading : nil
    try await (reading ?? transaction) { execute in
      let found = try perform(request, execute)
      answer.withLock { $0 = found }
    }
    state.hasTables.withLock { $0 = true }
    guard let answer = answer.withLock(\.self) else { throw UnexpectedAnswer("no transaction") }
    return answer
  }

  /// Performs a request within a transaction of the program's, which began with `BEGIN IMMEDIATE`.
  func perform(_ request: StoreRequest, _ execute: Execute) throws -> StoreAnswer {
    try withoutActuallyEscaping(execute) { execute in
      let tables = SQLiteTables(execute: execute, now: StoreTime(state.clock.withLock(\.self)?() ?? Date()))
      if !state.hasTables.withLock(\.self) { try tables.make() }
      try tables.check()
      return StoreAnswer(try request.call.perform(on: tables))
    }
  }
}
