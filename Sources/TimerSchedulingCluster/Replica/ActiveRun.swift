import TimerScheduling

/// A run of this replica, from its claim until the store knows its end.
final class ActiveRun: ReportedRun {
  private enum Fate {
    case open
    /// By an operator.
    case cancelled(ClusterError)
    /// This replica has lost it, or may soon lose it.
    case lost(ClusterError)
  }

  /// Whether the action has ended the run by itself.
  enum Finish {
    case open
    /// In a transaction, which may have been rolled back since then.
    case inTransaction
    /// The store knows.
    case known
  }

  /// How the run has ended for the store.
  enum End {
    case known
    /// The store is to be told.
    case unknown(RunEnd)
    /// The run counts as abandoned. Another replica may have it.
    case cutOff
  }

  /// The error of the action, and whether its task was cancelled meanwhile.
  private typealias Outcome = (error: (any Error)?, wasCancelled: Bool)

  private struct State {
    var plannedEnd: RunEnd
    /// The time after which the action is run again if it throws. Nil if it isn't.
    var retryWait: Duration?
    /// When the next attempt begins. Nil if none is known.
    var retry: StoreTime?
    var fate = Fate.open
    var finish = Finish.open
    /// The task of the action, which can be cancelled while the run goes on.
    var task: Task<Outcome, Never>?
    /// The results of steps that the store keeps, as JSON.
    var steps: [String: String]
  }

  let claim: ClaimedRun
  let replica: ClusterReplica
  private let state: Lock<State>

  /// Creates the run of a row that was claimed. Without a plan, it is released.
  init(_ claim: ClaimedRun, on replica: ClusterReplica) {
    (self.claim, self.replica) = (claim, replica)
    state = Lock(State(plannedEnd: RunEnd(releasing: claim), steps: claim.steps))
  }

  /// The end of the run if the action returns, or if it isn't run.
  var plannedEnd: RunEnd { state.withLock(\.plannedEnd) }

  /// Whether the date is too old to be begun again at a moment.
  private func isTooOld(at moment: StoreTime) -> Bool {
    let end = plannedEnd
    guard let date = end.date, end.asked == nil else { return false }
    return claim.options?.isTooOld(date, at: moment) ?? false
  }

  func plan(_ end: RunEnd, retryAfter wait: Duration?) {
    state.withLock { ($0.plannedEnd, $0.retryWait) = (end, wait) }
  }

  /// Returns the result of a step as JSON. Nil if it wasn't done.
  func step(_ name: String) -> String? { state.withLock { $0.steps[name] } }

  func keep(_ result: String, of step: String) { state.withLock { $0.steps[step] = result } }

  func finish(_ finish: Finish) { state.withLock { $0.finish = finish } }

  /// Cancels the run as an operator wants it. It is recorded as failed, and isn't run again.
  func cancel(by name: String) {
    let task = state.withLock { state in
      if case .open = state.fate {
        state.fate = .cancelled(.runCancelled(job: claim.job, token: claim.token, by: name))
      }
      return state.task
    }
    task?.cancel()
  }

  /// Cancels the run because this replica has lost it or, if it `isLate`, may soon lose it, unless the action
  /// has ended it.
  func lose(isLate: Bool) {
    let (job, token) = (claim.job, claim.token)
    let task = state.withLock { state -> Task<Outcome, Never>? in
      if state.finish != .open { return nil }
      state.fate = .lost(
        isLate ? .leaseNotRenewed(job: job, token: token) : .runTakenOver(job: job, token: token))
      return state.task
    }
    task?.cancel()
  }

  /// Runs the action, and returns the end of the run and its error. Calls `begins` when a thread begins the
  /// action.
  func perform(_ code: RunCode, begins: @escaping @Sendable () -> Void) async -> (End, (any Error)?) {
    let run = ClusterRun(self)
    let task = state.withLock { state -> Task<Outcome, Never>? in
      guard case .open = state.fate else { return nil }
      let task = replica.scheduler.makeTask { [self] () -> Outcome in
        begins()
        let overdue = code.timeout.map { self.reportOverdue(after: $0) }
        defer { overdue?.cancel() }
        do {
          if let timeout = code.timeout {
            try await withTimeout(timeout, on: replica.companion) { try await code.action(run) }
          } else {
            try await code.action(run)
          }
          return (nil, Task.isCancelled)
        } catch {
          return (error, Task.isCancelled)
        }
      }
      state.task = task
      return task
    }
    guard let task else { return end((CancellationError(), wasCancelled: true), code) }
    return end(
      await withTaskCancellationHandler {
        await replica.companion.value(of: task)
      } onCancel: {
        task.cancel()
      }, code)
  }

  /// Tells the observer if the action goes on a lease after its time limit.
  private func reportOverdue(after timeout: Duration) -> ScheduledTimer {
    let (job, handler, token) = (claim.job, claim.handler, claim.token)
    return replica.companion.schedule(.after(timeout + replica.lease)) { [replica] _ in
      replica.report(.runOverdue(job: job, handler: handler, token: token, timeout: timeout))
    }
  }

  /// Whether the action has ended the run, perhaps in a transaction that has been rolled back since then.
  var hasEnded: Bool { state.withLock { $0.finish != .open } }

  /// Notes when the next attempt begins.
  func noteRetry(at moment: StoreTime?) { state.withLock { $0.retry = moment } }

  /// Returns an error of the run as the observer gets it.
  func reported(_ error: any Error) -> any Error {
    ClusterError.runFailed(
      job: claim.job, handler: claim.handler, attempt: claim.attempt, next: state.withLock(\.retry)?.date,
      underlying: error)
  }

  private func end(_ outcome: Outcome, _ code: RunCode) -> (End, (any Error)?) {
    let state = state.withLock(\.self)
    guard let error = outcome.error else {
      return (state.finish == .known ? .known : .unknown(state.plannedEnd), nil)
    }
    switch state.fate {
    case .lost(let error): return (.cutOff, error)
    case .cancelled(let error): return (.unknown(end(after: RunDecision.giveUp("\(error)"), state)), error)
    case .open:
      // By its own program, as in a shutdown.
      let wasCancelled = outcome.wasCancelled && !(error is RunDecision)
      switch code.ifAbandoned {
      case .leave where wasCancelled && state.finish == .open: return (.cutOff, error)
      case .runAgain where wasCancelled:
        // All replicas may begin the date again, and the run doesn't count as an attempt.
        var end = postponed(state.plannedEnd, by: .zero)
        end.failure = Self.short("cancelled by its program: \(error)")
        return (.unknown(end), error)
      case .leave, .runAgain: return (.unknown(end(after: error, state)), error)
      }
    }
  }

  private func postponed(_ end: RunEnd, by wait: Duration) -> RunEnd {
    // A date that is postponed again and again doesn't keep the store busy.
    let least = claim.postponed == 0 ? Duration.zero : .seconds(1)
    let wait = min(max(wait, least), .seconds(3_155_760_000))
    var end = end
    (end.outcome, end.next) = (.postponed, (replica.now ?? claim.until) + wait)
    return end
  }

  private func end(after error: any Error, _ state: State) -> RunEnd {
    var end = state.plannedEnd
    switch error as? RunDecision {
    case .giveUp(let reason): (end.outcome, end.failure) = (.failed, reason)
    case .again(let wait): end = postponed(end, by: wait)
    case nil:
      (end.outcome, end.failure) = (.failed, "\(error)")
      if let wait = state.retryWait, let now = replica.now, !isTooOld(at: now + wait) {
        (end.outcome, end.next) = (.retried, now + wait)
      }
    }
    end.failure = end.failure.map(Self.short)
    return end
  }

  private static func short(_ text: String) -> String { String(text.unicodeScalars.prefix(10_000)) }
}
