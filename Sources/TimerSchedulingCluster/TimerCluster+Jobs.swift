public import TimerScheduling

/// Jobs that a program puts into the store while it runs.
extension TimerCluster {
  /// Puts a job into the store, or changes the job of that name. Waits at most a lease for the store.
  ///
  /// A new job owes no date before this call, and neither does one with a changed schedule. A run under way goes on, and
  /// the next one has the new payload.
  ///
  /// - Parameters:
  ///   - name: The name of the job: 1 to 1,000 bytes of UTF-8 without control characters.
  ///   - handler: The name of the handler that runs it.
  ///   - schedule: The dates of the job, which are stored as text: `.at`, `.every` with `starting: .aligned`, `.spread`
  ///     or `.at`, or `.rule` with a `CronRule`.
  ///   - payload: A text for the handler, such as an identifier or JSON: up to 65,536 bytes of UTF-8 without NUL.
  /// - Throws: ``ClusterError/scheduleNotAgreed(schedule:reason:)``, ``ClusterError/nameRefused(_:)``,
  ///   ``ClusterError/payloadRefused(job:bytes:)``, `TimeoutError`, or the store's error.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: String = ""
  ) async throws {
    try await perform(Self.request(name: name, handler: handler, schedule: schedule, payload: payload))
  }

  /// Puts a job into the store within a transaction of the program's, so that both take effect or neither does.
  ///
  /// ```swift
  /// try await database.transaction { db in
  ///   try await db.insert("a tenant")
  ///   try await cluster.put(
  ///     name: "report of tenant 7", handler: "report", schedule: .every(.seconds(60), starting: .aligned),
  ///     payload: "7"
  ///   ) { sql, parameters in try await db.rows(sql, parameters) }
  /// }
  /// ```
  ///
  /// For a store without ``TimerStore/statement(for:)`` this puts the job directly, without calling `execute`.
  ///
  /// - Parameters:
  ///   - name: The name of the job.
  ///   - handler: The name of the handler that runs it.
  ///   - schedule: The dates of the job.
  ///   - payload: A text for the handler.
  ///   - execute: Runs one statement in the transaction and returns its rows with their columns as text.
  /// - Throws: ``ClusterError/scheduleNotAgreed(schedule:reason:)``, ``ClusterError/nameRefused(_:)``, or the error of
  ///   `execute`. For a store without statements, `TimeoutError` or the store's error.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: String = "", in execute: Execute
  ) async throws {
    try await perform(
      Self.request(name: name, handler: handler, schedule: schedule, payload: payload), in: execute)
  }

  /// Removes a job from the store. If a run is under way, the job is removed when the run ends. Waits at most
  /// a lease for the store.
  ///
  /// - Parameter name: The name of the job.
  /// - Throws: ``ClusterError/unknownJob(_:)``, `TimeoutError`, or the store's error.
  public func remove(name: String) async throws {
    if try await !perform(RemovalRequest(job: name)).found { throw ClusterError.unknownJob(name) }
  }

  /// Removes a job from the store within a transaction of the program's.
  ///
  /// - Parameters:
  ///   - name: The name of the job.
  ///   - execute: Runs one statement in the transaction and returns its rows with their columns as text.
  /// - Throws: ``ClusterError/unknownJob(_:)``, or the error of `execute`. For a store without statements, `TimeoutError`
  ///   or the store's error.
  public func remove(name: String, in execute: Execute) async throws {
    if try await !perform(RemovalRequest(job: name), in: execute).found {
      throw ClusterError.unknownJob(name)
    }
  }

  /// Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as text.
  public typealias Execute =
    nonisolated(nonsending) (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]

  // MARK: Requests

  static func request(
    name: String, handler: String, schedule: TimerSchedule, payload: String
  ) throws(ClusterError) -> PutRequest {
    for name in [name, handler] where !isStorable(name) { throw .nameRefused(name) }
    if payload.utf8.count > 65_536 || payload.utf8.contains(0) {
      throw .payloadRefused(job: name, bytes: payload.utf8.count)
    }
    let text = schedule.description
    _ = try ClusterDates(text: text, catchUp: .zero)
    return PutRequest(job: name, handler: handler, schedule: text, payload: payload)
  }

  /// Performs a request, and has this replica claim what it may have made due.
  @discardableResult
  func perform<Call: StoreCall>(_ call: Call) async throws -> Call.Answer {
    defer { replica.wake() }
    return try await withTimeout(lease, on: companion) { [store] in try await store.answer(call) }
  }

  /// Performs a request within a transaction of the program's.
  @discardableResult
  private func perform<Call: StoreCall>(_ call: Call, in execute: Execute) async throws -> Call.Answer {
    let request = StoreRequest(call)
    guard let statement = try store.statement(for: request) else { return try await perform(call) }
    guard let text = try await execute(statement.sql, statement.parameters).first?.first ?? nil else {
      throw UnexpectedAnswer("no row")
    }
    return try request.answer(json: text).value(for: call)
  }

  /// Whether a name is short enough for a database's index, and has only characters that can be shown.
  static func isStorable(_ name: String) -> Bool {
    1...1_000 ~= name.utf8.count
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
