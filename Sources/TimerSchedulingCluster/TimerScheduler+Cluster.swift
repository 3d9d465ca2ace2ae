public import TimerScheduling

extension TimerScheduler {
  /// Runs an action for each date of a schedule, on one replica of a cluster.
  ///
  /// Every replica makes the same call. The replica that gets a date's claim runs the action. If that replica dies,
  /// is stopped or is cut off, its lease ends and `ifAbandoned` says what follows. By default a date is begun at most
  /// once. With ``AbandonedRunBehavior/runAgain(attempts:)`` it is begun at least once, and ``ClusterRun/finish(_:)``
  /// lets the transaction of only one run commit.
  ///
  /// If no replica ran some dates in time, `.missedTicks(.skip)` runs the newest, with the number of the others as
  /// ``ClusterRun/missedCount``, and `.missedTicks(.burst)` runs each, in order, unless it is older than `catchUp`. A
  /// new job isn't run for dates before its first registration. Runs of a job don't overlap as long as they end when
  /// they are cancelled.
  ///
  /// A run is cancelled when another replica has taken it over, and when the store hasn't answered for two thirds of
  /// the lease. While the store can't be reached nothing else stops: the replica asks again, and reports each failure
  /// to the scheduler's observer as `TimerEvent.Kind.actionFailed`. Errors of runs are reported in the same way. An
  /// interceptor encloses a run together with the report of its end.
  ///
  /// A run under way continues after the scheduler's shutdown, while `scheduler.sleep` throws. An action that sleeps
  /// should use `TimerScheduler.shared`.
  ///
  /// ```swift
  /// let cluster = TimerCluster(store: MemoryTimerStore())
  /// scheduler.schedule(
  ///   .every(.seconds(60), starting: .aligned), name: "bill", in: cluster, ifAbandoned: .runAgain(attempts: 3)
  /// ) { run in
  ///   logger.info("bill for \(run.scheduledDate), attempt \(run.attempt)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - schedule: The dates of the job: `.rule`, `.at`, or `.every` with `starting: .aligned`, `.spread` or
  ///     `.at`.
  ///   - name: The name of the job, the same on all replicas, and unique within the scheduler: 1 to 1,000 bytes of
  ///     UTF-8 without control characters.
  ///   - cluster: The cluster that shares the job.
  ///   - ifAbandoned: The treatment of a date whose replica has died.
  ///   - ifFailed: The treatment of a date whose action has thrown an error.
  ///   - catchUp: The age up to which dates are run in a burst, by default a day. Less than a lease counts as a lease.
  ///   - action: The closure to run, on its own isolation.
  /// - Returns: A handle on the job for this replica.
  /// - Precondition: All replicas agree on the schedule's dates, which ``TimerCluster/validate(_:)`` checks; attempts
  ///   are one or more, `catchUp` isn't negative, the name is as said, and the action doesn't run on a scheduler.
  @discardableResult
  public nonisolated func schedule(
    _ schedule: TimerSchedule, name: String, in cluster: TimerCluster,
    ifAbandoned: AbandonedRunBehavior = .leave,
    ifFailed: FailedRunBehavior = .leave,
    catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void
  ) -> ClusterTimer {
    requireValid(action.isolation)
    ifAbandoned.check()
    ifFailed.check()
    precondition(catchUp >= .zero, "The time to catch up must be zero or more, but \(catchUp) was given.")
    TimerCluster.check(name)
    let replica = cluster.replica(on: self)
    let dates: ClusterDates
    do throws(ClusterError) {
      // While a replica dies and another takes its place, no date is too old.
      dates = try ClusterDates(schedule, catchUp: max(catchUp, replica.lease))
    } catch {
      preconditionFailure(error.description)
    }
    let job = ClusterJobDriver(
      name: name, dates: dates, policy: RunPolicy(ifAbandoned: ifAbandoned, ifFailed: ifFailed),
      options: schedule.options, replica: replica, action: action)
    let timer = self.schedule(.every(.seconds(86_400)), name: name) { _ in try await job.fire() }
    job.begin(with: timer)
    return ClusterTimer(timer: timer)
  }
}
