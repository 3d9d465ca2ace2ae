import TimerScheduling

/// Runs the action of one job for the rows that this replica has claimed.
///
/// The job's timer holds the driver through its action. The replica delivers a claimed row to the driver, which has the
/// timer run. At the job's dates the timer has the replica claim.
final class ClusterJobDriver: RunDriver {
  private struct State {
    var timer: ScheduledTimer?
    /// A run that was delivered.
    var run: ActiveRun?
    /// The date for which the timer waits.
    var date: StoreTime?
  }

  let name: String
  let dates: ClusterDates
  let code: RunCode
  private let options: TimerSchedule.Options
  private let replica: ClusterReplica
  /// Guards the timer, its date and the row that waits for it.
  private let state = Lock(State())

  init(
    name: String, dates: ClusterDates, code: RunCode, options: TimerSchedule.Options,
    replica: ClusterReplica
  ) {
    (self.name, self.dates, self.code, self.options) = (name, dates, code, options)
    self.replica = replica
  }

  deinit {
    if let run = state.withLock(\.run) { replica.settle(run, RunEnd(releasing: run.claim)) }
    replica.remove(name, from: \.jobs)
  }

  /// Has a timer run the job.
  func begin(with timer: ScheduledTimer) {
    state.withLock { $0.timer = timer }
    replica.add(self)
    sleep()
  }

  /// Whether a row may be claimed for the job, as its timer isn't paused.
  var wantsRow: Bool { state.withLock { $0.timer?.state == .scheduled } }

  func plannedEnd(of claim: ClaimedRun) -> RunEnd {
    dates.plannedEnd(of: claim, attempts: code.attempts(of: claim))
  }

  func end() { state.withLock(\.timer)?.cancel() }

  // MARK: The timer

  /// Has the timer run the action for a row.
  func deliver(_ run: ActiveRun) {
    let timer = state.withLock { state in
      state.run = run
      return state.timer
    }
    timer?.reschedule(wakeup(after: .zero, jitter: options.jitter))
  }

  /// Gives back a row that was delivered to a timer that was paused since then.
  func releaseIfPaused() {
    let run = state.withLock { state in state.timer?.state == .scheduled ? nil : state.run.take() }
    if let run { replica.settle(run, RunEnd(releasing: run.claim)) }
  }

  /// Runs the action if there is a row, or else has the replica claim. Throws the action's error, or that of the report
  /// of its end.
  func fire() async throws {
    defer { sleep() }
    let (run, date) = state.withLock { ($0.run.take(), $0.date) }
    guard let run else {
      // Long before its date, the timer was resumed. The store's time is an estimate.
      if let date, let now = replica.now, date - now < .milliseconds(100) {
        replica.wake(for: date)
      } else {
        replica.wake()
      }
      return
    }
    defer { replica.wake(after: run) }
    try await replica.complete(run, code)
  }

  /// Sets the timer to the next date or, if there is a row, to now.
  private func sleep() {
    let now = replica.now
    let date = now.flatMap { dates.date(after: $0) }
    let (timer, hasRun) = state.withLock { state in
      state.date = date
      return (state.timer, state.run != nil)
    }
    // Until the store has told its time, the replica asks it anyway.
    let wait = now.map { now in date.map { $0 - now } ?? .day } ?? replica.lease / 3
    timer?.reschedule(wakeup(after: hasRun ? .zero : wait, jitter: .zero))
    if !hasRun, state.withLock({ $0.run != nil }) {
      timer?.reschedule(wakeup(after: .zero, jitter: options.jitter))
    }
  }

  private func wakeup(after wait: Duration, jitter: Interval) -> TimerSchedule {
    var wakeup = TimerSchedule.wakeup(after: wait)
    (wakeup.options.tolerance, wakeup.options.jitter) = (options.tolerance, jitter)
    return wakeup
  }
}
