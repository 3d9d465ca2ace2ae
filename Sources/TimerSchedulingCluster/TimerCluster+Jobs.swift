public import TimerScheduling

/// Jobs that a program puts into the store while it runs.
extension TimerCluster {
  /// Puts a job into the store, or changes the job of that name. Waits at most a lease for the store.
  ///
  /// A new job owes no date before this call, and neither does one with a changed schedule. But the date of
  /// `.at` is run at once if it has passed. If it was run before, the moment after it takes its place, and so
  /// does the one after a run that is under way or is to be tried again. A run under way goes on, and the
  /// next one has the new payload.
  ///
  /// With a changed schedule, the attempts that are left of an earlier date are given up. The job leaves the
  /// store when its last date is done, and the records of its runs stay. If that date has failed for good,
  /// the job stays until it is retried or removed.
  ///
  /// ```swift
  /// // A code that nobody reads after five minutes, in one attempt.
  /// try await cluster.put(
  ///   handler: "text", schedule: .at(Date()), within: .seconds(300), key: "tenant 7", attempts: 1,
  ///   payload: "1234")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the job: 1 to 1,000 bytes of UTF-8 without control characters. Nil is a new one.
  ///   - handler: The name of the handler that runs it.
  ///   - schedule: The dates of the job, which are stored as text: `.at`, `.every` with `starting: .aligned`,
  ///     `.spread` or `.at`, or `.rule` with a `CronRule`.
  ///   - within: The time from a date on in which it may be begun, by the store's clock. A date that is older
  ///     isn't begun any more, in no attempt, and the observer gets
  ///     ``ClusterError/dateGivenUp(job:handler:date:reason:)``. The job has failed for good if that date was
  ///     its last. What an operator asks for is run all the same.
  ///   - key: The key of the job, such as its tenant, for `limitPerKey` of its handler. It is as long as a
  ///     name.
  ///   - attempts: The number of attempts of a date. It takes the place of the numbers of the handler's
  ///     `ifFailed` and `ifAbandoned`, unless these are `.leave`.
  ///   - payload: A text for the handler, or a value as JSON: up to 65,536 bytes of UTF-8 without NUL.
  ///     `handle` with `as:` reads a value.
  /// - Returns: The name of the job.
  /// - Throws: `scheduleNotAgreed`, `scheduleOver`, `nameInvalid`, `payloadInvalid` or `servedByProgram` of
  ///   ``ClusterError``, the error of encoding the payload, `TimeoutError`, or the store's error.
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil,
    attempts: Int? = nil, payload: Payload = ""
  ) async throws -> String {
    try await put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload))
  }

  /// Puts a job into the store that is run once: now, or after a delay. Waits at most a lease for the store.
  ///
  /// The store's clock decides, so the clocks of replicas may differ. The delay is up to a century. A job of
  /// that name gets the new date. The job leaves the store as one with a schedule does, and the other
  /// parameters are those of a put with a schedule.
  ///
  /// ```swift
  /// struct Mail: Codable {
  ///   var address: String
  /// }
  /// cluster.handle("mail", as: Mail.self) { mail, run in logger.info("a mail to \(mail.address)") }
  /// try await cluster.put(handler: "mail", payload: Mail(address: "ann@example.org"))
  /// try await cluster.put(
  ///   name: "reminder 7", handler: "mail", after: .seconds(3600), payload: Mail(address: "bob@example.org"))
  /// ```
  ///
  /// - Returns: The name of the job.
  /// - Throws: `delayInvalid`, `nameInvalid`, `payloadInvalid` or `servedByProgram` of ``ClusterError``, the
  ///   error of encoding the payload, `TimeoutError`, or the store's error. After a `TimeoutError` the store
  ///   may have the job all the same. If you put it again by its name, it is run once or twice.
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = ""
  ) async throws -> String {
    try await put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload))
  }

  /// Puts many jobs into the store by one request: all of them, or none. Waits at most a lease for the store.
  ///
  /// Each job is put as `put` with its parameters does. Of two jobs with one name, the second changes the
  /// first. Without jobs nothing is asked of the store. A few thousand jobs in a call are a good number, as
  /// writers wait for it.
  ///
  /// - Throws: What those methods throw, for the first job that can't be put.
  public func put(_ jobs: [NewJob]) async throws {
    if !jobs.isEmpty { try await perform(request(jobs)).check() }
  }

  /// Puts many jobs within a transaction of the program's, as `put(name:handler:schedule:…:in:)` puts one.
  ///
  /// - Throws: What that method throws, for the first job that can't be put.
  public func put(_ jobs: [NewJob], in execute: Execute) async throws {
    if !jobs.isEmpty { try await perform(request(jobs), in: execute).check() }
  }

  /// Puts a job into the store within a transaction of the program's, so that both take effect or neither
  /// does.
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
  /// The parameters are those of a put without a transaction, and ``Execute``. For a store without
  /// ``TimerStore/statement(for:)`` this puts the job directly, without calling `execute`. In a transaction
  /// on the file of a store in SQLite it would wait in vain for the file's lock, so use the synchronous form
  /// there. If the transaction's body is `async`, call that from a synchronous function. With a store that
  /// listens, `PREPARE TRANSACTION` fails after a put, as PostgreSQL refuses it after a notification.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The ``ClusterError`` of that method, or the error of `execute`. For a store without
  ///   statements, `TimeoutError` or the store's error.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil,
    attempts: Int? = nil, payload: Payload = "", in execute: Execute
  ) async throws -> String {
    try await put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload), in: execute)
  }

  /// Puts a job that is run once, now or after a delay, within a transaction of the program's.
  ///
  /// ```swift
  /// try await database.transaction { db in
  ///   try await db.insert("an order")
  ///   try await cluster.put(handler: "mail", payload: "7") { sql, parameters in
  ///     try await db.rows(sql, parameters)
  ///   }
  /// }
  /// ```
  ///
  /// The time until the job is run counts from this call. The parameters are those of a put without a
  /// transaction, and `execute` is that of a put with a schedule.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The ``ClusterError`` of the first method, or what the second throws otherwise.
  @discardableResult
  public func put<Payload: Encodable & Sendable>(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: Payload = "", in execute: Execute
  ) async throws -> String {
    try await put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload), in: execute)
  }

  func put(_ job: NewJob) async throws -> String {
    try await put([job])
    return job.name.composed
  }

  func put(_ job: NewJob, in execute: Execute) async throws -> String {
    try await put([job], in: execute)
    return job.name.composed
  }

  /// Removes a job from the store, or when its run under way ends. Waits at most a lease for the store.
  ///
  /// - Returns: Whether there was such a job.
  /// - Throws: ``ClusterError/servedByProgram(job:)``, `TimeoutError`, or the store's error.
  @discardableResult
  public func remove(name: String) async throws -> Bool {
    try await perform(RemovalRequest(job: name.composed)).wasFound(name)
  }

  /// Removes a job from the store within a transaction of the program's.
  ///
  /// - Returns: Whether there was such a job.
  /// - Throws: ``ClusterError/servedByProgram(job:)``, or as a put within one.
  @discardableResult
  public func remove(name: String, in execute: Execute) async throws -> Bool {
    try await perform(RemovalRequest(job: name.composed), in: execute).wasFound(name)
  }

  /// Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as text.
  public typealias Execute =
    nonisolated(nonsending) (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]
}
