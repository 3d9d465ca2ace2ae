import Synchronization
import TimerScheduling

/// Runs the action of one job for the rows that this replica has claimed.
///
/// The job's timer holds the driver through its action. The replica delivers a claimed row to the driver, which has the
/// timer run. At the job's dates the timer has the replica claim.
final class ClusterJobDriver: Sendable {
  typealias Action = @isolated(any) @Sendable (ClusterRun) async throws -> Void

  private struct State {
    var timer: ScheduledTimer?
    /// A run that was delivered.
    var run: ActiveRun?
    var isRunning = false
    /// The date for which the timer waits.
    var date: StoreTime?
  }

  let name: String
  let dates: ClusterDates
  private let attempts: Int
  private let options: TimerSchedule.Options
  private let action: Action
  private let replica: ClusterReplica
  private let state = Mutex(State())

  init(
    name: String, dates: ClusterDates, attempts: Int, options: TimerSchedule.Options, replica: ClusterReplica,
    action: @escaping Action
  ) {
    (self.name, self.dates, self.attempts, self.options) = (name, dates, attempts, options)
    (self.replica, self.action) = (replica, action)
  }

  deinit {
    if let run = state.withLock(\.run) { replica.settle(run, RunEnd(releasing: run.claim)) }
    replica.remove(name)
  }

  /// Has a timer run the job.
  func begin(with timer: ScheduledTimer) {
    state.withLock { $0.timer = timer }
    replica.add(self)
    sleep()
  }

  /// Whether a row may be claimed for the job.
  var wantsRow: Bool {
    state.withLock { state in
      guard state.run == nil, !state.isRunning, let timer = state.timer else { return false }
      return timer.state == .scheduled
    }
  }

  /// Returns the end of a run if its action returns, or if it has no date to run.
  func plannedEnd(of claim: ClaimedRun) -> RunEnd {
    var end = RunEnd(
      token: claim.token, outcome: .settled, through: claim.until, next: dates.date(after: claim.until),
      schedule: dates.fingerprint, missed: 0)
    // The dates of a range that was begun by another schedule are that one's.
    guard claim.schedule == dates.fingerprint else { return end }
    let choice = dates.choice(from: claim.from, until: claim.until)
    (end.through, end.next, end.missed) = (choice.through, choice.next, choice.missed)
    if let date = choice.date, claim.attempt <= attempts { (end.outcome, end.date) = (.done, date) }
    return end
  }

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
    let (run, date) = state.withLock { state in
      state.isRunning = state.run != nil
      return (state.run.take(), state.date)
    }
    guard let run else {
      // Before its date, the timer was resumed.
      if let date, let now = replica.now, date <= now { replica.wake(for: date) } else { replica.wake() }
      return
    }
    defer {
      state.withLock { $0.isRunning = false }
      // From now on, a claim may have the job. The date of a run that was cut off may be claimed at once.
      if case .cutOff = run.end {
        replica.wake()
      } else if let next = run.plannedEnd.next {
        replica.wake(at: next)
      }
    }
    let result: Result<Void, any Error>
    do { result = .success(try await run.perform(action)) } catch { result = .failure(error) }
    switch run.end {
    case .known: replica.release(run)
    case .unknown(let end):
      // In a timer of its own, as the job's may be cancelled.
      let failure = Mutex<(any Error)?>(nil)
      let report = replica.companion.schedule(.after(.zero)) { [replica] _ in
        let error = await replica.report(end, of: run)
        failure.withLock { $0 = error }
      }
      await report.waitUntilFinished()
      if let error = failure.withLock(\.self) { throw error }
    case .cutOff: replica.giveUp(run)
    }
    try result.get()
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
