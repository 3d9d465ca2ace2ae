package import TimerSchedulingFoundation

/// A store through which the replicas of a cluster agree which of them runs which date.
///
/// The store has a row for each job, with the moment from which it is due, and one for each session of a
/// replica, with the end of its lease. A claim takes rows that are due, and fixes for each a *range*: the
/// moments that its run settles. The replica runs one date of the range. The end of the run says through
/// which moment the row is settled, and when it is due next.
///
/// There are stores in memory, in PostgreSQL and in SQLite. A store of your own usually passes each request
/// on to one of them, to count, measure or delay it. `TimerStoreContract` checks it.
public protocol TimerStore: Sendable {
  /// Performs a request and returns its answer.
  ///
  /// Each request is one atomic step, judged by the store's own clock, which must be the same for all
  /// replicas. A request that throws may still have taken effect, if only its answer was lost. A request that
  /// takes too long is cancelled and not awaited. It stays in memory until it returns.
  func perform(_ request: StoreRequest) async throws -> StoreAnswer

  /// Returns the statement that performs a request within a transaction of the program's, with its parameters
  /// as text, nil for NULL. Its result is one row with one column, the answer as JSON. By default it is nil:
  /// the store has no such statement, and the request is performed by itself.
  func statement(for request: StoreRequest) throws -> (sql: String, parameters: [String?])?

  /// Calls a closure when others may have made jobs due: by a put, a retry, a request of an operator or a
  /// resume.
  ///
  /// A replica calls it while it has jobs or handlers, and then cancels its task. After each call of the
  /// closure, which may come on any thread, the replica claims within 10 ms. Calls may come in vain or be
  /// lost, as a replica with handlers looks each second anyway. If this method throws, the observer gets the
  /// error, and the replica calls the method again after a third of the lease. A store that doesn't see
  /// changes returns at once, as the default does.
  func watch(_ changed: @escaping @Sendable () -> Void) async throws
}

extension TimerStore {
  /// Returns nil: the store has no statements.
  public func statement(for request: StoreRequest) throws -> (sql: String, parameters: [String?])? { nil }

  /// Returns at once: the store can't tell of changes.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws {}

  package func answer<Call: StoreCall>(_ call: Call) async throws -> Call.Answer {
    try await perform(StoreRequest(call)).value(for: call)
  }

  /// Performs a request within a transaction of the program's. Returns nil if the store has no statement for
  /// it.
  func answer<Call: StoreCall>(_ call: Call, in execute: TimerCluster.Execute) async throws -> Call.Answer? {
    guard let statement = try statement(for: StoreRequest(call)) else { return nil }
    guard let text = try await execute(statement.sql, statement.parameters).first?.first ?? nil else {
      throw UnexpectedAnswer("no row")
    }
    return try call.answer(json: text)
  }

  package func end(_ ends: [RunEnd]) async throws -> EndAnswer { try await answer(EndRequest(ends)) }

  package func renew(session: UUID, lease: Duration, givenUp: [Int64]) async throws -> RenewalAnswer {
    try await answer(SessionRenewal(session: session, lease: lease.wholeMicroseconds, givesUp: givenUp))
  }

  package func close(session: UUID) async throws { _ = try await answer(SessionClosing(session: session)) }

  package func jobs(
    of handler: String? = nil, in state: ClusterJob.State? = nil, matching part: String = "",
    after name: String? = nil, limit: Int = Int(Int32.max)
  ) async throws -> [ClusterJob] {
    try await answer(
      JobsRequest(matching: part, after: name, limit: limit, handler: handler, state: state)
    ).jobs
  }

  package func history(of job: String?, limit: Int) async throws -> [ClusterRunRecord] {
    try await answer(HistoryRequest(job: job, limit: limit)).runs
  }

  /// Deletes the records of runs that began before a moment and have ended, in slices. Returns their number.
  package func removeHistory(before moment: StoreTime) async throws -> Int {
    let slice = HistoryRemoval(before: moment)
    var sum = 0
    while true {
      let count = try await answer(slice).count
      sum += count
      if count < slice.limit { return sum }
    }
  }
}
