import TimerScheduling
public import TimerSchedulingFoundation

extension TimerCluster {
  /// Pauses a job for all replicas. A run under way continues. Waits at most a lease for the store.
  ///
  /// The dates from the pause's beginning to its end are left out. A date that was due before it and hadn't
  /// begun is run when the job is resumed, and so is that of a job that was put for one date. If a job isn't
  /// claimed between two pauses, its dates in the first one count as due before the second. The name of the
  /// operator and the reason are shown with the job.
  ///
  /// - Throws: ``ClusterError/jobUnknown(job:)``, `TimeoutError`, or the store's error.
  public func pause(_ name: String, by person: String = "", reason: String = "") async throws {
    try await change(name, PauseRequest(job: name.composed, isPaused: true, by: person, reason: reason))
  }

  /// Resumes a paused job for all replicas. Waits at most a lease for the store.
  ///
  /// The dates of the pause are neither run nor counted as missed. The job stays paused while its
  /// handler or the cluster is. It throws as ``pause(_:by:reason:)``.
  public func resume(_ name: String, by person: String = "") async throws {
    try await change(name, PauseRequest(job: name.composed, isPaused: false, by: person))
  }

  /// Pauses the jobs of a handler for all replicas, also those that are put later. Waits at most a lease for
  /// the store.
  ///
  /// Runs under way continue. The store keeps one row for the pause, so it takes the same time with any
  /// number of jobs, and no replica needs to have the handler. Dates are left out as by
  /// ``pause(_:by:reason:)``, and a job that was put for one date is run when the handler is resumed:
  ///
  /// ```swift
  /// try await cluster.pause(handler: "mail", by: "ann", reason: "the mail server moves")
  /// try await cluster.put(handler: "mail", payload: "sent when the handler is resumed")
  /// try await cluster.resume(handler: "mail", by: "ann")
  /// ```
  ///
  /// - Throws: ``ClusterError/nameInvalid(name:)``, `TimeoutError`, or the store's error.
  public func pause(handler: String, by person: String = "", reason: String = "") async throws {
    try await perform(PauseRequest(handler: checked(handler), isPaused: true, by: person, reason: reason))
  }

  /// Ends the pause of a handler for all replicas. Waits at most a lease for the store.
  ///
  /// Jobs paused by themselves stay so, as all do if the cluster is. Throws as
  /// ``pause(handler:by:reason:)-(String,_,_)``.
  public func resume(handler: String, by person: String = "") async throws {
    try await perform(PauseRequest(handler: checked(handler), isPaused: false, by: person))
  }

  /// Pauses all jobs of the cluster for all replicas, also those that come later.
  ///
  /// It does what ``pause(handler:by:reason:)-(String,_,_)`` does, for jobs of programs and all handlers.
  /// Throws `TimeoutError` or the store's error.
  public func pauseAll(by person: String = "", reason: String = "") async throws {
    try await perform(PauseRequest(isPaused: true, by: person, reason: reason))
  }

  /// Ends the pause of the cluster for all replicas, as ``resume(handler:by:)-(String,_)`` ends that of a
  /// handler.
  ///
  /// Jobs and handlers that were paused by themselves stay paused.
  public func resumeAll(by person: String = "") async throws {
    try await perform(PauseRequest(isPaused: false, by: person))
  }

  /// Returns the pauses of handlers and of the cluster that are under way. That of the cluster comes first.
  public func pauses() async throws -> [ClusterPause] { try await store.answer(PausesRequest()).pauses }

  /// Runs a job once more, for a date or else for now, whether its schedule has that date or not.
  ///
  /// It begins when no date is due, no run is under way, and the job isn't paused. A job that was put and
  /// waits for its only date is put for now in place of it, and ``cancelRequests(of:)`` doesn't undo that.
  /// Waits at most a lease.
  ///
  /// - Throws: ``ClusterError/jobUnknown(job:)``, `TimeoutError`, or the store's error. After a
  ///   `TimeoutError` the store may have the request all the same. With another call, the job may run twice.
  public func run(_ name: String, for date: Date? = nil) async throws {
    let moment = date.map { StoreTime($0) }
    try await change(name, AskRequest(job: name.composed, from: moment, through: moment))
  }

  /// Runs a job for each date of its schedule in a range, whether the dates were run or not.
  ///
  /// Dates at both ends are run, too. They are run in order, and dates that become due meanwhile come first.
  /// The store keeps the progress. Waits at most a lease for the store.
  ///
  /// - Throws: What ``run(_:for:)`` throws. After a `TimeoutError`, another call may run each date twice.
  public func backfill(_ name: String, in range: ClosedRange<Date>) async throws {
    let (first, last) = (StoreTime(range.lowerBound), StoreTime(range.upperBound))
    // A range of one moment would be a date to run whether the schedule has it or not.
    try await change(
      name, AskRequest(job: name.composed, from: first == last ? first.previous : first, through: last))
  }

  /// Begins the attempt of a job that waits after a failed one, or anew a job that has failed for good.
  ///
  /// A job that was put stays in the store if its last date has failed for good or was abandoned. It is run
  /// for that date again, with all attempts. A paused job begins when it is resumed. Waits at most a lease.
  ///
  /// - Throws: ``ClusterError/jobUnknown(job:)``, ``ClusterError/retryMissing(job:)`` if there is neither,
  ///   `TimeoutError`, or the store's error.
  public func retry(_ name: String) async throws {
    let answer = try await perform(RetryRequest(job: name.composed))
    if !answer.found { throw ClusterError.jobUnknown(job: name) }
    if !answer.isRetried { throw ClusterError.retryMissing(job: name) }
  }

  /// Withdraws what ``run(_:for:)`` and ``backfill(_:in:)`` have asked for. Waits at most a lease for the
  /// store.
  ///
  /// A run under way goes on, but neither it nor one that waits is tried again. Dates of the schedule stay.
  ///
  /// - Throws: ``ClusterError/jobUnknown(job:)``, `TimeoutError`, or the store's error.
  public func cancelRequests(of name: String) async throws {
    try await change(name, WithdrawalRequest(job: name.composed))
  }

  /// Cancels the run of a job that is under way now, or gives up the attempt that waits after a failed one.
  ///
  /// The replica of a run learns of it at its next renewal, within a third of a lease. The run is recorded as
  /// failed, with the operator's name, and isn't tried again. Later runs go on. Waits at most a lease.
  ///
  /// - Throws: ``ClusterError/runMissing(job:)``, `TimeoutError`, or the store's error.
  public func cancelRun(of name: String, by person: String = "an operator") async throws {
    if try await !perform(CancelRequest(job: name.composed, by: person)).found {
      throw ClusterError.runMissing(job: name)
    }
  }

  private func change<Call: StoreCall>(_ name: String, _ call: Call) async throws
  where Call.Answer == PauseRequest.Answer {
    if try await !perform(call).found { throw ClusterError.jobUnknown(job: name) }
  }

  /// Returns what is waiting of each handler, in the order of their names, by one request.
  ///
  /// A handler is listed that has jobs which are due, running, waiting for another attempt, or failed.
  ///
  /// ```swift
  /// for backlog in try await cluster.backlogs() {
  ///   guard let oldest = backlog.oldestDue, oldest < Date() - 60 else { continue }
  ///   logger.info("\(backlog.handler): \(backlog.dueCount) jobs are due since \(oldest)")
  /// }
  /// ```
  public func backlogs() async throws -> [HandlerBacklog] {
    try await store.answer(BacklogsRequest()).backlogs
  }

  /// Begins the attempts of all jobs of a handler that are in a state, as ``retry(_:)`` does for one.
  ///
  /// They are asked for one after the other. A job that isn't in the state any more when its turn comes is
  /// left. Without an attempt to begin, a job isn't counted.
  ///
  /// - Returns: The number of jobs with an attempt that begins.
  /// - Throws: ``ClusterError/nameInvalid(name:)``, `TimeoutError`, or the store's error. Those that were
  ///   asked for before it are retried.
  @discardableResult
  public func retry(allOf handler: String, in state: ClusterJob.State = .failed) async throws -> Int {
    try await count(handler, state) { try await perform(RetryRequest(job: $0, state: state)).isRetried }
  }

  /// Removes all jobs of a handler that are in a state, as ``remove(name:)`` does one.
  ///
  /// They are removed one after the other. A job that isn't in the state any more when its turn comes stays.
  ///
  /// - Returns: The number of removed jobs.
  /// - Throws: As ``retry(allOf:in:)``. Those before the error are removed.
  @discardableResult
  public func remove(allOf handler: String, in state: ClusterJob.State = .failed) async throws -> Int {
    try await count(handler, state) {
      let answer = try await perform(RemovalRequest(job: $0, state: state))
      return answer.found && !answer.isServed
    }
  }

  /// Counts the jobs of a handler in a state for which an act has an effect, a slice at a time.
  private func count(
    _ handler: String, _ state: ClusterJob.State, _ act: (String) async throws -> Bool
  ) async throws -> Int {
    let handler = try checked(handler)
    var (count, last) = (0, String?.none)
    repeat {
      let names = try await store.jobs(of: handler, in: state, after: last, limit: 100).map(\.name)
      for name in names where try await act(name) { count += 1 }
      last = names.last
    } while last != nil
    return count
  }

  /// Returns a page of the jobs, in the order of their names, with their dates, runs under way and counts.
  ///
  /// They are those of a handler and in a state, if these are given, and their names contain `part`, in any
  /// case of the letters A to Z. The first page has no `name`, and each further one has the name of the last
  /// job of the page before, even if that is gone:
  ///
  /// ```swift
  /// var page = try await cluster.jobs(matching: "report")
  /// while let last = page.last {
  ///   for job in page { logger.info("\(job.name): \(job.doneCount) runs") }
  ///   page = try await cluster.jobs(matching: "report", after: last.name)
  /// }
  /// ```
  ///
  /// - Precondition: `limit`, the largest number of jobs, isn't negative.
  public func jobs(
    of handler: String? = nil, in state: ClusterJob.State? = nil, matching part: String = "",
    after name: String? = nil, limit: Int = 100
  ) async throws -> [ClusterJob] {
    precondition(limit >= 0, "A limit must be zero or more, but \(limit) was given.")
    return try await store.jobs(
      of: handler?.composed, in: state, matching: part.composed, after: name?.composed, limit: limit)
  }

  /// Returns the newest runs of a job, or without a name of all jobs, newest first.
  ///
  /// - Precondition: `limit`, the largest number of runs, isn't negative.
  public func history(of name: String? = nil, limit: Int = 100) async throws -> [ClusterRunRecord] {
    precondition(limit >= 0, "A history has zero runs or more, but \(limit) was given.")
    return try await store.history(of: name?.composed, limit: limit)
  }

  /// Returns the fate of a date of a job, past or to come, and its reason.
  ///
  /// The date is one of the schedule, or one for which an operator has asked. Each attempt is listed with its
  /// replica. If a date wasn't run, the job was paused, the run before was going on, the date was too old to
  /// be caught up, or the schedule was changed. The answer reaches back as far as the history.
  ///
  /// ```swift
  /// let date = try await cluster.explain("report", at: Date(timeIntervalSince1970: 1_798_765_200))
  /// logger.info("\(date)")
  /// ```
  ///
  /// - Throws: ``ClusterError/jobUnknown(job:)``, or the store's error.
  public func explain(_ name: String, at date: Date) async throws -> DateExplanation {
    let name = name.composed
    let answer = try await store.answer(DateRequest(job: name, date: StoreTime(date)))
    if answer.row == nil, answer.runs.isEmpty { throw ClusterError.jobUnknown(job: name) }
    let own = replica.dates(of: name)
    return DateSearch(job: name, date: StoreTime(date), answer: answer) { text in
      own?.fingerprint == text ? own : try? ClusterDates(text: text, catchUp: .zero)
    }.explanation
  }

  /// Deletes the records of runs that began before a date and have ended, a thousand at a time.
  ///
  /// - Returns: The number of deleted records.
  @discardableResult
  public func removeHistory(before date: Date) async throws -> Int {
    try await store.removeHistory(before: StoreTime(date))
  }
}
