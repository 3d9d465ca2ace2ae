import TimerScheduling

/// A run of this replica, from its claim until the store knows its end.
///
/// The user's action runs in a timer of its own, so that it can be cancelled separately from the job's timer.
final class ActiveRun: Sendable {
  private struct State {
    var plannedEnd: RunEnd
    /// The time after which the action is run again if it throws. Nil if it isn't.
    var retryWait: Duration?
    var finish: ActionsFinish?
    var loss: ClusterError?
    /// Why an operator has ended the run.
    var cancellation: ClusterError?
    var result: Result<Void, any Error>?
    var wasCancelled = false
    var end: End?
    var timer: ScheduledTimer?
  }

  /// The end of a run by a call of the action's.
  enum ActionsFinish {
    /// In a transaction, which may have been rolled back since then.
    case inTransaction
    case known
  }

  let claim: ClaimedRun
  private let replica: ClusterReplica
  /// Guards what has become of the run.
  private let state: Lock<State>

  /// Creates the run of a row that was claimed. Without a plan, it is released.
  init(_ claim: ClaimedRun, on replica: ClusterReplica) {
    (self.claim, self.replica) = (claim, replica)
    state = Lock(State(plannedEnd: RunEnd(releasing: claim)))
  }

  /// The end of the run if the action returns, or if it isn't run.
  var plannedEnd: RunEnd { state.withLock(\.plannedEnd) }

  /// Sets how the run ends, and the time after which the action is run again if it throws.
  func plan(_ end: RunEnd, retryAfter wait: Duration?) {
    state.withLock { ($0.plannedEnd, $0.retryWait) = (end, wait) }
  }

  /// Cancels the run as an operator wants it. It is recorded as failed, and isn't run again.
  func cancel(by name: String) {
    let timer = state.withLock { state in
      if state.cancellation == nil {
        state.cancellation = .runCancelled(job: claim.job, token: claim.token, by: name)
      }
      return state.timer
    }
    timer?.cancel()
  }

  /// Cancels the run because this replica has lost it, or may soon lose it, unless the action has ended it.
  func lose(_ loss: ClusterError) {
    let timer = state.withLock { state -> ScheduledTimer? in
      if state.finish != nil { return nil }
      if state.loss == nil { state.loss = loss }
      return state.timer
    }
    timer?.cancel()
  }

  // MARK: The run

  /// Runs the action and returns once it has ended. Throws the action's error. Calls `begins` when a thread begins it.
  func perform(_ code: RunCode, begins: @escaping @Sendable () -> Void) async throws {
    if let loss = state.withLock(\.loss) { throw loss }
    let run = ClusterRun(self, of: replica) { [weak self] finish in
      self?.state.withLock { $0.finish = finish }
    }
    let timer = replica.actions.schedule(.after(.zero)) { [self] _ in
      begins()
      do {
        if let timeout = code.timeout {
          try await withTimeout(timeout, on: replica.companion) { try await code.action(run) }
        } else {
          try await code.action(run)
        }
        ended(.success(()), wasCancelled: Task.isCancelled)
      } catch {
        ended(.failure(error), wasCancelled: Task.isCancelled)
      }
    }
    let isLost = state.withLock { state in
      state.timer = timer
      return state.loss != nil || state.cancellation != nil
    }
    if isLost { timer.cancel() }
    await timer.waitUntilFinished()
    // If the job's timer was cancelled, the run is cancelled too. Otherwise it has already ended.
    if Task.isCancelled { timer.cancel() }
    await timer.cancelAndWait()
    // Breaks the cycle: the timer holds this object through its action, and it holds the timer.
    let (result, loss) = state.withLock { state in
      state.timer = nil
      return (state.result, state.loss ?? state.cancellation)
    }
    if case .failure(let error) = result { throw loss ?? error }
    if result == nil { throw loss ?? CancellationError() }
  }

  private func ended(_ result: Result<Void, any Error>, wasCancelled: Bool) {
    state.withLock { ($0.result, $0.wasCancelled) = (result, wasCancelled) }
  }

  /// How the run has ended for the store.
  enum End {
    /// The store knows the end.
    case known
    /// The store is to be told.
    case unknown(RunEnd)
    /// The run counts as abandoned. Another replica may have it.
    case cutOff
  }

  /// The end of a run whose action has returned. It stays the same, as the store keeps the moment of a next attempt.
  var end: End {
    state.withLock { state in
      let end = state.end ?? end(state)
      state.end = end
      return end
    }
  }

  private func end(_ state: State) -> End {
    switch state.result {
    case .success: return state.finish == .known ? .known : .unknown(state.plannedEnd)
    case .failure, nil:
      if state.loss != nil { return .cutOff }
      if let cancellation = state.cancellation { return .unknown(failedEnd(state, "\(cancellation)")) }
      guard case .failure(let error) = state.result, !state.wasCancelled else { return .cutOff }
      switch error as? RunDecision {
      case .giveUp(let reason): return .unknown(failedEnd(state, reason))
      case .again(let wait): return .unknown(postponedEnd(state, after: wait))
      case nil: break
      }
      var end = failedEnd(state, "\(error)")
      if let retryWait = state.retryWait, let now = replica.now {
        (end.outcome, end.next) = (.retried, now + retryWait)
      }
      return .unknown(end)
    }
  }

  private func postponedEnd(_ state: State, after wait: Duration) -> RunEnd {
    var end = state.plannedEnd
    let wait = min(max(wait, .zero), .seconds(3_155_760_000))
    (end.outcome, end.next) = (.postponed, (replica.now ?? claim.until) + wait)
    return end
  }

  private func failedEnd(_ state: State, _ failure: String) -> RunEnd {
    var end = state.plannedEnd
    (end.outcome, end.failure) = (.failed, String(failure.unicodeScalars.prefix(10_000)))
    return end
  }
}
