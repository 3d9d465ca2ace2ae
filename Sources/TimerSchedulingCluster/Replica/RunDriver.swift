import TimerScheduling

/// The code of a job of the program, or of a handler for jobs that were put, and its runs on this replica.
///
/// A timer of the user's scheduler stands for it. Each run has a timer of its own there.
final class RunDriver: Sendable {
  let name: String
  let code: RunCode
  /// The dates of a job of the program. Nil for a handler, whose jobs have theirs in the store.
  let dates: ClusterDates?
  /// The limits of a handler for all replicas. Nil without any.
  let limits: HandlerLimits?
  /// Each run's timer has their tolerance and jitter.
  private let options: TimerSchedule.Options
  let timers: RunTimers
  private let next = Lock<(moment: StoreTime, date: StoreTime?)?>(nil)
  private let replica: ClusterReplica

  init(
    name: String, code: RunCode, dates: ClusterDates? = nil, options: TimerSchedule.Options = .init(),
    limit: Int = .max, limits: HandlerLimits? = nil, replica: ClusterReplica
  ) {
    self.limits = limits
    (self.name, self.code, self.dates, self.options, self.replica) = (name, code, dates, options, replica)
    timers = RunTimers(limit: limit, in: replica.scheduler.driver.clock.virtual)
  }

  var table: WritableKeyPath<ClusterReplica.State, [String: RunDriver]> {
    dates == nil ? \.handlers : \.jobs
  }

  func begin() -> ClusterRegistration {
    let end = ReleaseNotice { [self] in replica.remove(self) }
    let timer = replica.scheduler.schedule(.wakeup()) { [replica, end] _ in
      withExtendedLifetime(end) { replica.wake() }
    }
    timers.begin(timer)
    replica.add(self)
    // The scheduler may have shut down.
    if timer.state.isFinished { replica.remove(self) }
    return ClusterRegistration(name: name, timer: timer, timers: timers)
  }

  /// Returns the first date of a job of the program after a moment. A rule is asked once for each date, as
  /// each claim calls this, unless the clock was set back.
  func nextDate(after moment: StoreTime) -> StoreTime? {
    guard let dates else { return nil }
    if let next = next.withLock(\.self), next.moment <= moment, next.date.map({ moment < $0 }) ?? true {
      return next.date
    }
    let date = dates.date(after: moment)
    next.withLock { $0 = (moment, date) }
    return date
  }

  func deliver(_ run: ActiveRun) {
    let token = run.claim.token
    guard timers.add(token) else { return replica.settle(run, RunEnd(releasing: run.claim)) }
    let end = ReleaseNotice { [self] in
      timers.forget(token)
      replica.settle(run, RunEnd(releasing: run.claim))
    }
    var moment = TimerSchedule.after(.zero)
    (moment.options.tolerance, moment.options.jitter) = (options.tolerance, options.jitter)
    let timer = replica.scheduler.schedule(moment, context: run) { [self, end] _ in
      guard timers.change(token, to: .fired) else { return }
      end.cancel()
      try await perform(run)
    }
    timers.set(timer, of: token)
  }

  /// Throws the action's error, or that of the report of the run's end.
  private func perform(_ run: ActiveRun) async throws {
    let token = run.claim.token
    let (end, error) = await run.perform(code) { [self] in
      timers.begin(token)
      if dates == nil { replica.noteBegin() }
    }
    defer {
      // Others may have waited for room.
      if timers.forget(token) == timers.limit { replica.wake() }
    }
    do {
      try await replica.finish(run, end, error)
    } catch {
      if !(error is CancellationError && Task.isCancelled) { timers.failure = error }
      throw error
    }
  }
}

/// Calls a function when a timer that has ended releases it, unless it was cancelled before.
private final class ReleaseNotice: Sendable {
  private let body: Lock<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) { self.body = Lock(body) }

  deinit { body.withLock(\.self)?() }

  func cancel() {
    // Released outside the lock.
    let body = body.withLock { $0.take() }
    withExtendedLifetime(body) {}
  }
}
