public import TimerScheduling

/// What a program does within a transaction of its own in the database of a store in SQLite, which began with
/// `BEGIN IMMEDIATE`. `execute` runs one statement in it. `TimerSQLite` of `Examples/Adapters` has the same
/// for a transaction of GRDB.
extension ClusterRun {
  /// Ends the run within a transaction, as the asynchronous `finish` does for PostgreSQL.
  ///
  /// - Parameter execute: Runs one statement in the transaction.
  /// - Throws: ``ClusterError/runTakenOver(job:token:)``, ``ClusterError/runEnded(job:token:)``, or the error
  ///   of `execute`.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func finish(in execute: SQLiteTimerStore.Execute) throws {
    try note(store.perform(EndRequest([end]), in: execute).verdicts)
  }
}

extension TimerCluster {
  /// Puts a job within a transaction, as `put(name:handler:schedule:payload:)` does in one of its own.
  ///
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: String = "",
    in execute: SQLiteTimerStore.Execute
  ) throws {
    try put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)], in: execute)
  }

  /// Puts many jobs within a transaction, as ``put(_:)`` does in one of its own.
  ///
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put(_ jobs: [NewJob], in execute: SQLiteTimerStore.Execute) throws {
    try store.perform(request(jobs), in: execute).check()
  }

  /// Puts a job within a transaction, as `put(name:handler:after:payload:)` does in one of its own.
  ///
  /// - Returns: The name of the job.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: String = "",
    in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    let job = NewJob(name: name, handler: handler, after: delay, payload: payload)
    try put([job], in: execute)
    return job.name.composed
  }

  /// Puts a job with a value as its payload within a transaction.
  ///
  /// - Throws: The error of encoding the value, or what the form with a text throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: some Encodable & Sendable,
    in execute: SQLiteTimerStore.Execute
  ) throws {
    try put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)], in: execute)
  }

  /// Puts a job with a value as its payload, which is run once, within a transaction.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the value, or what the form with a text throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: some Encodable & Sendable,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    let job = try NewJob(name: name, handler: handler, after: delay, payload: payload)
    try put([job], in: execute)
    return job.name.composed
  }

  /// Puts a job of a kind within a transaction.
  ///
  /// - Throws: The error of encoding the payload, or what the form with a handler's name throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule,
    in execute: SQLiteTimerStore.Execute
  ) throws {
    try put([NewJob(kind, payload, name: name, schedule: schedule)], in: execute)
  }

  /// Puts a job of a kind that is run once within a transaction. A nil name is a new one.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what the form with a handler's name throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    try put(name: name, handler: kind.handler, after: delay, payload: payload, in: execute)
  }

  /// Removes a job within a transaction, as ``remove(name:)`` does in one of its own.
  ///
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func remove(name: String, in execute: SQLiteTimerStore.Execute) throws -> Bool {
    try store.perform(RemovalRequest(job: name.composed), in: execute).wasFound(name)
  }
}

extension TimerStore {
  fileprivate func perform<Call: StoreCall>(
    _ call: Call, in execute: SQLiteTimerStore.Execute
  ) throws -> Call.Answer {
    let request = StoreRequest(call)
    if let store = self as? MemoryTimerStore { return try store.performNow(request).value(for: call) }
    guard let store = self as? SQLiteTimerStore else {
      preconditionFailure("This needs a cluster whose store is in SQLite or, in tests, in memory.")
    }
    return try store.perform(request, execute).value(for: call)
  }
}
