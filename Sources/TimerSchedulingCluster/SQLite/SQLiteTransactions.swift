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
    try note(store.perform(EndRequest([end]), in: execute))
  }

  /// Does a part of the job within a transaction, as the asynchronous `step` does for PostgreSQL.
  ///
  /// - Returns: The result of the body, or that of an attempt before.
  /// - Throws: As that method.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func step<Result: Codable & Sendable>(
    _ name: String, in execute: SQLiteTimerStore.Execute, _ body: () throws -> Result
  ) throws -> Result {
    var request = StepRequest(token: token, step: try TimerCluster.checked(name))
    if let known = try check(store.perform(request, in: execute), request) { return try Self.result(known) }
    let result = try body()
    request.value = try result.json
    try check(store.perform(request, in: execute), request)
    return result
  }

  /// Does a part of the job without a result within a transaction.
  ///
  /// - Throws: As the form with a result.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func step(_ name: String, in execute: SQLiteTimerStore.Execute, _ body: () throws -> Void) throws {
    _ = try step(name, in: execute) { () throws -> NoResult in
      try body()
      return NoResult()
    }
  }
}

extension TimerCluster {
  /// Puts many jobs within a transaction, as ``put(_:)`` does in one of its own.
  ///
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put(_ jobs: [NewJob], in execute: SQLiteTimerStore.Execute) throws {
    try store.perform(request(jobs), in: execute).check()
  }

  /// Puts a job within a transaction, as `put` does in one of its own.
  ///
  /// - Returns: The name of the job.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "",
    in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    try put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload), in: execute)
  }

  /// Puts a job that is run once within a transaction, as `put` does in one of its own.
  ///
  /// - Returns: The name of the job.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "",
    in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    try put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload), in: execute)
  }

  /// Puts a job within a transaction, unless there is an earlier one of that name, as `put` does in one of
  /// its own.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String? {
    try put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier, in: execute)
  }

  /// Puts a job that is run once within a transaction, unless there is an earlier one of that name, as `put`
  /// does in one of its own.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String? {
    try put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier, in: execute)
  }

  /// Puts a job of a kind within a transaction.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    try put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts),
      in: execute)
  }

  /// Puts a job of a kind that is run once within a transaction.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in execute: SQLiteTimerStore.Execute
  ) throws -> String {
    try put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts), in: execute)
  }

  /// Puts a job of a kind within a transaction, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String? {
    try put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts),
      unless: earlier, in: execute)
  }

  /// Puts a job of a kind that is run once within a transaction, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  /// - Precondition: The cluster's store is in SQLite, or in memory, where this has its effect at once.
  @_disfavoredOverload
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in execute: SQLiteTimerStore.Execute
  ) throws -> String? {
    try put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts),
      unless: earlier, in: execute)
  }

  private func put(_ job: NewJob, in execute: SQLiteTimerStore.Execute) throws -> String {
    try put([job], in: execute)
    return job.name.composed
  }

  private func put(
    _ job: NewJob, unless earlier: EarlierJob, in execute: SQLiteTimerStore.Execute
  ) throws -> String? {
    try store.perform(request([job], unless: earlier), in: execute).name(of: job)
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
