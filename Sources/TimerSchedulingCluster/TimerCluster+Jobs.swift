public import TimerScheduling

/// Jobs that a program puts into the store while it runs.
extension TimerCluster {
  /// Runs an action for each date of the jobs that were put with a handler's name.
  ///
  /// The store has the jobs and their schedules. A replica with the handler claims those that are due, so any
  /// number of jobs costs a replica one query a second, and memory for the due ones only. A replica without
  /// the handler leaves its jobs to others. If no replica has it, the observer is told, and the jobs wait.
  ///
  /// ```swift
  /// cluster.handle("report", on: scheduler) { run in
  ///   logger.info("\(run.name) for \(run.payload) on \(run.scheduledDate)")
  /// }
  /// try await cluster.put(
  ///   name: "report of tenant 7", handler: "report", schedule: .every(.seconds(60), starting: .aligned),
  ///   payload: "7")
  /// ```
  ///
  /// The scheduler runs the actions, up to a thousand at a time, each in a timer that is named for the handler and the
  /// job: `report: report of tenant 7`. The handler ends with the timer `handler report` or with the scheduler, and while
  /// that timer is paused, this replica leaves the jobs to others. Timers with these names would end each other, so give
  /// no other timer of the scheduler such a name, and no handler of a second cluster there this one's.
  ///
  /// - Parameters:
  ///   - handler: The name of the handler: 1 to 1,000 bytes of UTF-8 without control characters. A second action of the
  ///     same name replaces the first.
  ///   - scheduler: The scheduler that runs the actions, and to which the cluster belongs.
  ///   - ifAbandoned: The treatment of a date whose replica has died.
  ///   - ifFailed: The treatment of a date whose action has thrown an error.
  ///   - catchUp: The age up to which dates are run in a burst, by default a day. Less than a lease counts as a lease.
  ///   - action: The closure to run, on its own isolation.
  /// - Precondition: Attempts are one or more, `catchUp` isn't negative, the name is as said, and the action doesn't run
  ///   on a scheduler.
  public func handle(
    _ handler: String, on scheduler: TimerScheduler = .shared, ifAbandoned: AbandonedRunBehavior = .leave,
    ifFailed: FailedRunBehavior = .leave, catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void
  ) {
    scheduler.requireValid(action.isolation)
    ifAbandoned.check()
    ifFailed.check()
    precondition(catchUp >= .zero, "The time to catch up must be zero or more, but \(catchUp) was given.")
    Self.check(handler)
    let replica = replica(on: scheduler)
    let driver = HandlerDriver(
      name: handler, policy: RunPolicy(ifAbandoned: ifAbandoned, ifFailed: ifFailed),
      catchUp: max(catchUp, replica.lease), replica: replica, scheduler: scheduler, action: action)
    driver.begin()
  }

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
    defer { replica?.wake() }
    return try await withTimeout(lease, on: companion ?? .shared) { [store] in try await store.answer(call) }
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

  /// Stops the program if a name that it has in its code can't be stored.
  static func check(_ name: String) {
    precondition(isStorable(name), ClusterError.nameRefused(name).description)
  }

  /// Whether a name is short enough for a database's index, and has only characters that can be shown.
  private static func isStorable(_ name: String) -> Bool {
    1...1_000 ~= name.utf8.count
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
