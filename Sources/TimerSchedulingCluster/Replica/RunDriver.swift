import TimerScheduling

/// The code of a job of the program, or of a handler for jobs that were put, and its runs on this replica.
///
/// A timer of the user's scheduler, which does nothing, stands for it. Each run has a timer of its own there.
final class RunDriver: Sendable {
  private struct State {
    /// The timer that stands for the driver.
    var timer: ScheduledTimer?
    /// The timers of the runs under way, by token. Nil until a run's timer is known.
    var runs: [Int64: ScheduledTimer?] = [:]
    /// The tokens of those that haven't begun.
    var waiting: Set<Int64> = []
    var failure: (any Error)?
  }

  let name: String
  let code: RunCode
  /// The dates of a job of the program. Nil for a handler, whose jobs have theirs in the store.
  let dates: ClusterDates?
  /// The treatment of each run's moment: a job's tolerance and jitter.
  private let options: TimerSchedule.Options
  /// The largest number of runs at a time.
  private let limit: Int
  private let replica: ClusterReplica
  private let scheduler: TimerScheduler
  /// Guards the timers. Their own locks are taken under it.
  private let state = Lock(State())

  init(
    name: String, code: RunCode, dates: ClusterDates? = nil, options: TimerSchedule.Options = .init(),
    limit: Int = .max, replica: ClusterReplica, scheduler: TimerScheduler
  ) {
    (self.name, self.code, self.dates, self.options, self.limit) = (name, code, dates, options, limit)
    (self.replica, self.scheduler) = (replica, scheduler)
  }

  /// Where the replica has it.
  var table: WritableKeyPath<ClusterReplica.State, [String: RunDriver]> {
    dates == nil ? \.handlers : \.jobs
  }

  // MARK: The part of this replica

  func begin() -> ClusterRegistration {
    let end = ReleaseNotice { [self] in replica.remove(self) }
    let timer = scheduler.schedule(.wakeup(after: .day)) { [replica, end] _ in
      withExtendedLifetime(end) { replica.wake() }
    }
    state.withLock { $0.timer = timer }
    replica.add(self)
    // The scheduler may have shut down.
    if !isActive { replica.remove(self) }
    return ClusterRegistration(name: name, timer: timer, driver: self)
  }

  func end() { for timer in timers { timer.cancel() } }

  /// The timers of the driver and of its runs.
  var timers: [ScheduledTimer] {
    state.withLock { state in [state.timer].compactMap(\.self) + state.runs.values.compactMap(\.self) }
  }

  /// Whether the timer is neither paused nor over.
  private var isActive: Bool { state.withLock { $0.timer?.state == .scheduled } }

  /// The number of further runs that it may have. Zero while its timer is paused, and once that has ended.
  var room: Int { isActive ? max(limit - state.withLock(\.runs.count), 0) : 0 }

  /// Whether it may have runs, and has none.
  var isIdle: Bool { room == limit }

  /// The number of runs that wait for a thread.
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// The last error of a run.
  var failure: (any Error)? { state.withLock(\.failure) }

  // MARK: Runs

  func dates(of claim: ClaimedRun) throws(ClusterError) -> ClusterDates {
    if let dates { return dates }
    return try ClusterDates(text: claim.schedule, catchUp: code.catchUp)
  }

  /// Has the action run for a row.
  func deliver(_ run: ActiveRun) {
    let token = run.claim.token
    let isWanted = state.withLock { state in
      // The store may not know of the limit, and the timer may have been paused since the claim.
      guard state.timer?.state == .scheduled, state.runs.count < limit else { return false }
      state.runs[token] = .some(nil)
      state.waiting.insert(token)
      return true
    }
    guard isWanted else { return replica.settle(run, RunEnd(releasing: run.claim)) }
    let end = ReleaseNotice { [self] in
      forget(run)
      replica.settle(run, RunEnd(releasing: run.claim))
    }
    var moment = TimerSchedule.after(.zero)
    (moment.options.tolerance, moment.options.jitter) = (options.tolerance, options.jitter)
    let timer = scheduler.schedule(moment) { [self, end] _ in
      end.cancel()
      try await perform(run)
    }
    state.withLock { if $0.runs[token] != nil { $0.runs[token] = .some(timer) } }
  }

  /// Gives back the rows of runs that haven't begun and whose timers were paused since then.
  func releasePaused() {
    for timer in timers.dropFirst() where timer.state == .paused { timer.cancel() }
  }

  /// Runs the action, and reports the end of its run. Throws the action's error, or that of the report.
  private func perform(_ run: ActiveRun) async throws {
    let (end, error) = await run.perform(code) { [self] in
      state.withLock { _ = $0.waiting.remove(run.claim.token) }
      if dates == nil { replica.noteBegin() }
    }
    defer {
      // Others may have waited for room.
      if forget(run) == limit { replica.wake() } else { replica.wake(after: run, end) }
    }
    do {
      try await replica.finish(run, end, error)
    } catch {
      if !(error is CancellationError && Task.isCancelled) {
        let old = state.withLock { state in
          defer { state.failure = error }
          return state.failure
        }
        withExtendedLifetime(old) {}
      }
      throw error
    }
  }

  /// Forgets a run. Returns how many were under way with it.
  @discardableResult
  private func forget(_ run: ActiveRun) -> Int {
    let (count, timer) = state.withLock { state in
      state.waiting.remove(run.claim.token)
      return (state.runs.count, state.runs.removeValue(forKey: run.claim.token))
    }
    withExtendedLifetime(timer) {}
    return count
  }
}

/// Calls a function when it is released, as by a timer that has ended, unless it was cancelled before.
private final class ReleaseNotice: Sendable {
  private let body: Lock<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) { self.body = Lock(body) }

  deinit { body.withLock(\.self)?() }

  func cancel() {
    let body = body.withLock { $0.take() }
    withExtendedLifetime(body) {}
  }
}
