public import TimerScheduling

/// Jobs that each replica's program schedules.
extension TimerCluster {
  /// Runs an action for each date of a schedule, on one replica of the cluster.
  ///
  /// Every replica makes the same call, and the one that gets a date's claim runs the action. By default a
  /// date is begun at most once. With ``AbandonedRunBehavior/runAgain(attempts:)`` it is begun again if its
  /// replica dies, is stopped or cut off, and `ClusterRun.finish(in:)` lets only one run commit.
  ///
  /// If no replica ran some dates in time, `.missedTicks(.skip)` runs the newest, with the number of the
  /// others as ``ClusterRun/missedCount``. `.missedTicks(.burst)` runs those up to `catchUp` ago, in order. A
  /// job isn't run for dates before its first registration. Runs that end when cancelled don't overlap.
  ///
  /// A run is cancelled when another replica has taken it over, and when the store hasn't answered for two
  /// thirds of the lease. While the store can't be reached nothing else stops: the replica asks again. It
  /// reports each failure, as each error of a run, to the scheduler's observer as
  /// `TimerEvent.Kind.actionFailed`. An interceptor encloses a run together with the report of its end.
  ///
  /// A run under way continues after the scheduler's shutdown, while `scheduler.sleep` throws. An action that
  /// sleeps should use `TimerScheduler.shared`.
  ///
  /// ```swift
  /// let cluster = TimerCluster(store: MemoryTimerStore())
  /// cluster.schedule(
  ///   .every(.seconds(60), starting: .aligned), name: "bill", ifAbandoned: .runAgain(attempts: 3)
  /// ) { run in
  ///   logger.info("bill for \(run.scheduledDate), attempt \(run.attempt)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: The dates of the job, on which all replicas agree, as ``validate(_:)`` checks.
  ///   - name: The name of the job, the same on all replicas: 1 to 1,000 bytes of UTF-8 without control
  ///     characters. A second job of the same name replaces this replica's first, and cancels its run.
  ///   - ifAbandoned: The treatment of a date whose replica has died.
  ///   - ifFailed: The treatment of a date whose action has thrown an error.
  ///   - catchUp: The age up to which dates are run in a burst, by default a day. Less than a lease counts as
  ///     a lease.
  ///   - timeout: The time after which a run is cancelled, and fails with `TimeoutError`. By default none.
  ///   - action: The closure to run, on its own isolation.
  /// - Returns: This replica's part in the job.
  /// - Precondition: The schedule and the name are as said, attempts are one or more, `catchUp` isn't
  ///   negative, `timeout` is greater than zero, and the action doesn't run on a scheduler.
  @discardableResult
  public func schedule(
    _ schedule: TimerSchedule, name: String, ifAbandoned: AbandonedRunBehavior = .leave,
    ifFailed: FailedRunBehavior = .leave, catchUp: Duration = .seconds(86_400), timeout: Duration? = nil,
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    do throws(ClusterError) {
      let name = try checked(name)
      let code = try RunCode(
        ifAbandoned: ifAbandoned, ifFailed: ifFailed, catchUp: catchUp, timeout: timeout, action: action,
        on: self)
      let dates = try ClusterDates(schedule, catchUp: code.catchUp)
      return RunDriver(
        name: name, code: code, dates: dates, options: schedule.options, replica: replica
      ).begin()
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Runs an action for each date of the jobs that were put with a handler's name.
  ///
  /// The store has the jobs and their schedules. A replica with the handler claims those that are due, so any
  /// number of jobs costs a replica one query a second, and memory for the due ones only. A replica without
  /// the handler leaves its jobs to others. If no replica has it, the observer is told, and the jobs wait.
  ///
  /// ```swift
  /// cluster.handle("report") { run in
  ///   logger.info("\(run.name) for \(run.payload) on \(run.scheduledDate)")
  /// }
  /// try await cluster.put(
  ///   name: "report of tenant 7", handler: "report", schedule: .every(.seconds(60), starting: .aligned),
  ///   payload: "7")
  /// ```
  ///
  /// By default a date is begun again if its replica has died or its action has failed, so it may run twice.
  ///
  /// `limit` is the largest number of runs of the handler that this replica has at a time. `limitInAll` is
  /// that of all replicas together, and `limitPerKey` that of each key. Jobs without a key have no limit of a
  /// key. With either of the last two, keys take turns: those with the fewest runs come first, so a key's
  /// backlog starves no other. All replicas should have the same limits, as each claims by its own. A run
  /// that was abandoned counts until its lease has ended.
  ///
  /// ```swift
  /// cluster.handle("export", limitInAll: 40, limitPerKey: 2) { run in
  ///   logger.info("an export for \(run.key ?? "")")
  /// }
  /// try await cluster.put(handler: "export", key: "tenant 7", payload: "7")
  /// ```
  ///
  /// `ifGivenUp` says what becomes of a date that is given up for good. The other parameters are as for
  /// ``schedule(_:name:ifAbandoned:ifFailed:catchUp:timeout:perform:)``. A second action of the same name
  /// replaces this replica's first, whose runs end.
  ///
  /// - Returns: This replica's part in the handler.
  /// - Precondition: The limits are one or more, and the rest is as for that method.
  @discardableResult
  public func handle(
    _ handler: String, limit: Int = 100, limitInAll: Int? = nil, limitPerKey: Int? = nil,
    timeout: Duration? = nil,
    ifAbandoned: AbandonedRunBehavior = .runAgain(attempts: 3),
    ifFailed: FailedRunBehavior = .retry(
      attempts: 5, backoff: .exponential(from: .seconds(1), upTo: .seconds(600))),
    ifGivenUp: GivenUpRunBehavior = .leave, catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    for limit in [limit, limitInAll, limitPerKey].compactMap(\.self) {
      precondition(limit > 0, "A handler has one run at a time or more, but a limit of \(limit) was given.")
    }
    let isLimited = limitInAll != nil || limitPerKey != nil
    do throws(ClusterError) {
      let code = try RunCode(
        ifAbandoned: ifAbandoned, ifFailed: ifFailed, ifGivenUp: ifGivenUp, catchUp: catchUp,
        timeout: timeout,
        action: action, on: self)
      return RunDriver(
        name: try checked(handler), code: code, limit: limit,
        limits: isLimited ? HandlerLimits(inAll: limitInAll, perKey: limitPerKey) : nil, replica: replica
      ).begin()
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Runs an action for each date of the jobs that were put with a handler's name, whose payloads are JSON.
  ///
  /// It does what the form without a type does otherwise, and gives the action a value of the type `payload`
  /// and the run. If the payload isn't such a value, the run fails as by an error of the action. For a minute
  /// this replica leaves the job to others, as another version of the program may read it. A `String` is the
  /// text itself.
  ///
  /// ```swift
  /// struct Report: Codable {
  ///   var tenant: Int
  /// }
  /// cluster.handle("report", as: Report.self) { report, run in
  ///   logger.info("\(run.scheduledDate) for tenant \(report.tenant)")
  /// }
  /// try await cluster.put(handler: "report", payload: Report(tenant: 7))
  /// ```
  ///
  /// - Returns: This replica's part in the handler.
  /// - Precondition: As for that method.
  @discardableResult
  public func handle<Payload: Decodable & Sendable>(
    _ handler: String, as payload: Payload.Type, limit: Int = 100, limitInAll: Int? = nil,
    limitPerKey: Int? = nil, timeout: Duration? = nil,
    ifAbandoned: AbandonedRunBehavior = .runAgain(attempts: 3),
    ifFailed: FailedRunBehavior = .retry(
      attempts: 5, backoff: .exponential(from: .seconds(1), upTo: .seconds(600))),
    ifGivenUp: GivenUpRunBehavior = .leave, catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Payload, ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    scheduler.requireValid(action.isolation)
    return handle(
      handler, limit: limit, limitInAll: limitInAll, limitPerKey: limitPerKey, timeout: timeout,
      ifAbandoned: ifAbandoned, ifFailed: ifFailed,
      ifGivenUp: ifGivenUp, catchUp: catchUp
    ) { run in
      try await action(try run.payload(as: Payload.self), run)
    }
  }
}
