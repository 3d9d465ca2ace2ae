public import TimerScheduling

/// Jobs that a program puts into the store while it runs.
extension TimerCluster {
  /// Puts a job into the store, or changes the job of that name. Waits at most a lease for the store.
  ///
  /// A new job owes no date before this call, and neither does one with a changed schedule. But the date of
  /// `.at` is run at once if it has passed. A run under way goes on, and the next one has the new payload.
  /// With a changed schedule, the attempts that are left of an earlier date are given up. The job leaves the
  /// store when its last date is done, and the records of its runs stay. If that date has failed for good,
  /// the job stays until it is retried or removed.
  ///
  /// - Parameters:
  ///   - name: The name of the job: 1 to 1,000 bytes of UTF-8 without control characters.
  ///   - handler: The name of the handler that runs it.
  ///   - schedule: The dates of the job, which are stored as text: `.at`, `.every` with `starting: .aligned`,
  ///     `.spread` or `.at`, or `.rule` with a `CronRule`.
  ///   - payload: A text for the handler, as an identifier or JSON: up to 65,536 bytes of UTF-8 without NUL.
  /// - Throws: `scheduleNotAgreed`, `scheduleOver`, `nameInvalid`, `payloadInvalid` or `servedByProgram` of
  ///   ``ClusterError``, `TimeoutError`, or the store's error.
  public func put(name: String, handler: String, schedule: TimerSchedule, payload: String = "") async throws {
    try await put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)])
  }

  /// Puts a job with a value as its payload, stored as JSON, as `put(name:handler:schedule:payload:)` does.
  ///
  /// ``handle(_:as:limit:timeout:ifAbandoned:ifFailed:catchUp:perform:)`` reads it.
  ///
  /// - Throws: The error of encoding the value, or what that method throws.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: some Encodable & Sendable
  ) async throws {
    try await put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)])
  }

  /// Puts many jobs into the store by one request: all of them, or none. Waits at most a lease for the store.
  ///
  /// Each job is put as `put(name:handler:schedule:payload:)` or `put(name:handler:after:payload:)` puts it.
  /// Of two jobs with one name, the second changes the first. Without jobs nothing is asked of the store. A
  /// few thousand jobs in a call are a good number, as writers wait for it.
  ///
  /// - Throws: What those methods throw, for the first job that can't be put.
  public func put(_ jobs: [NewJob]) async throws {
    if !jobs.isEmpty { try await perform(request(jobs)).check() }
  }

  /// Puts many jobs within a transaction of the program's, as `put(name:handler:schedule:payload:in:)` puts
  /// one.
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
  /// The parameters are those of `put(name:handler:schedule:payload:)`, and ``Execute``. For a store without
  /// ``TimerStore/statement(for:)`` this puts the job directly, without calling `execute`. In a transaction
  /// on the file of a store in SQLite it would wait in vain for the file's lock, so use the synchronous form
  /// there. If the transaction's body is `async`, call that from a synchronous function. With a store that
  /// listens, `PREPARE TRANSACTION` fails after a put, as PostgreSQL refuses it after a notification.
  ///
  /// - Throws: The ``ClusterError`` of that method, or the error of `execute`. For a store without
  ///   statements, `TimeoutError` or the store's error.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: String = "", in execute: Execute
  ) async throws {
    try await put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)], in: execute)
  }

  /// Puts a job with a value as its payload within a transaction of the program's, as
  /// `put(name:handler:schedule:payload:in:)` does.
  ///
  /// - Throws: The error of encoding the value, or what that method throws.
  public func put(
    name: String, handler: String, schedule: TimerSchedule, payload: some Encodable & Sendable,
    in execute: Execute
  ) async throws {
    try await put([NewJob(name: name, handler: handler, schedule: schedule, payload: payload)], in: execute)
  }

  /// Puts a job into the store that is run once: now, or after a delay. Waits at most a lease for the store.
  ///
  /// The store's clock decides, so the clocks of replicas may differ. The delay is up to a century. A job of
  /// that name gets the new date, and a nil name is a new one. The job leaves the store as one of
  /// `put(name:handler:schedule:payload:)` does, and its texts have the same limits.
  ///
  /// ```swift
  /// cluster.handle("mail") { run in logger.info("a mail to \(run.payload)") }
  /// try await cluster.put(handler: "mail", payload: "ann@example.org")
  /// try await cluster.put(
  ///   name: "reminder 7", handler: "mail", after: .seconds(3600), payload: "bob@example.org")
  /// ```
  ///
  /// - Returns: The name of the job.
  /// - Throws: `delayInvalid`, `nameInvalid`, `payloadInvalid` or `servedByProgram` of ``ClusterError``,
  ///   `TimeoutError`, or the store's error. After a `TimeoutError` the store may have the job all the same.
  ///   If you put it again by its name, it is run once or twice.
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: String = ""
  ) async throws -> String {
    let job = NewJob(name: name, handler: handler, after: delay, payload: payload)
    try await put([job])
    return job.name.composed
  }

  /// Puts a job with a value as its payload, stored as JSON, as `put(name:handler:after:payload:)` does.
  ///
  /// ```swift
  /// struct Mail: Codable {
  ///   var address: String
  /// }
  /// cluster.handle("mail", as: Mail.self) { mail, run in logger.info("a mail to \(mail.address)") }
  /// try await cluster.put(handler: "mail", payload: Mail(address: "ann@example.org"))
  /// ```
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the value, or what that method throws.
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: some Encodable & Sendable
  ) async throws -> String {
    let job = try NewJob(name: name, handler: handler, after: delay, payload: payload)
    try await put([job])
    return job.name.composed
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
  /// The time until the job is run counts from this call. The parameters are those of
  /// `put(name:handler:after:payload:)`, and `execute` is that of `put(name:handler:schedule:payload:in:)`.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The ``ClusterError`` of the first method, or what the second throws otherwise.
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: String = "",
    in execute: Execute
  ) async throws -> String {
    let job = NewJob(name: name, handler: handler, after: delay, payload: payload)
    try await put([job], in: execute)
    return job.name.composed
  }

  /// Puts a job with a value as its payload, which is run once, within a transaction of the program's.
  ///
  /// It does what `put(name:handler:after:payload:in:)` does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the value, or what that method throws.
  @discardableResult
  public func put(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: some Encodable & Sendable,
    in execute: Execute
  ) async throws -> String {
    let job = try NewJob(name: name, handler: handler, after: delay, payload: payload)
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
  /// - Throws: ``ClusterError/servedByProgram(job:)``, or as `put(name:handler:schedule:payload:in:)`.
  @discardableResult
  public func remove(name: String, in execute: Execute) async throws -> Bool {
    try await perform(RemovalRequest(job: name.composed), in: execute).wasFound(name)
  }

  /// Runs one statement with its parameters, nil for NULL, and returns the rows with their columns as text.
  public typealias Execute =
    nonisolated(nonsending) (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]
}
