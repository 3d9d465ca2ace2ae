import Synchronization
import TimerScheduling

/// A run of this replica, from its claim until the store knows its end.
///
/// The user's action runs in a timer of its own, so that it can be cancelled separately from the job's timer. A
/// second timer cancels the action when the store hasn't answered for two thirds of the lease.
final class ActiveRun: Sendable {
  private struct State {
    /// The time at which the last request was sent whose answer confirmed that this replica has the run.
    var renewed: Duration
    var finish: ActionsFinish?
    var loss: ClusterError?
    var result: Result<Void, any Error>?
    var wasCancelled = false
    var reportError: (any Error)?
    var timer: ScheduledTimer?
    var deadline: ScheduledTimer?
  }

  /// The end of a run by a call of the action's.
  enum ActionsFinish {
    /// In a transaction, which may have been rolled back since then.
    case inTransaction
    case known
  }

  let name: String
  let claim: ClaimVerdict.Claim
  private let replica: ClusterReplica
  private let state: Mutex<State>

  init(_ claim: ClaimVerdict.Claim, of name: String, on replica: ClusterReplica, asked: Duration) {
    self.claim = claim
    self.name = name
    self.replica = replica
    state = Mutex(State(renewed: asked))
  }

  // MARK: The lease

  /// Extends the run's deadline after the store has confirmed that this replica has the run.
  func renewed(at asked: Duration) {
    let deadline = state.withLock { state in
      state.renewed = max(state.renewed, asked)
      return state.deadline
    }
    deadline?.reschedule(.after(timeLeft))
  }

  /// The time until the run must be cancelled.
  private var timeLeft: Duration {
    max(.zero, state.withLock(\.renewed) + replica.lease * 2 / 3 - replica.elapsed)
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

  /// Runs the action and returns once it has ended. Throws the action's error.
  func perform(_ action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void) async throws {
    let run = ClusterRun(claim, of: name, store: replica.store) { [weak self] finish in
      self?.state.withLock { $0.finish = finish }
    }
    let deadline = replica.companion.schedule(.after(timeLeft)) { [weak self, name, claim] _ in
      self?.lose(.leaseNotRenewed(job: name, token: claim.token))
    }
    let timer = replica.companion.schedule(.after(.zero), name: name) { [self] _ in
      do {
        try await action(run)
        ended(.success(()), wasCancelled: Task.isCancelled)
      } catch {
        ended(.failure(error), wasCancelled: Task.isCancelled)
      }
    }
    let isLost = state.withLock { state in
      (state.deadline, state.timer) = (deadline, timer)
      return state.loss != nil
    }
    if isLost { timer.cancel() }
    await timer.waitUntilFinished()
    // If the job's timer was cancelled, the run is cancelled too. Otherwise it has already ended.
    if Task.isCancelled { timer.cancel() }
    await timer.cancelAndWait()
    deadline.cancel()
    // Breaks the cycle: the timers hold this object through their actions, and it holds the timers.
    let (result, loss) = state.withLock { state in
      (state.timer, state.deadline) = (nil, nil)
      return (state.result, state.loss)
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
    /// The store is to be told, with a description of the action's error.
    case unknown(failure: String?)
    /// The run counts as abandoned once its lease has ended.
    case cutOff
  }

  var end: End {
    state.withLock { state in
      switch state.result {
      case .success: state.finish == .known ? .known : .unknown(failure: nil)
      // A run that ended because it was cancelled is left to another replica, once the lease has ended.
      case .failure where state.wasCancelled || state.loss != nil: .cutOff
      case .failure(let error): .unknown(failure: String("\(error)".unicodeScalars.prefix(10_000)))
      case nil: .cutOff
      }
    }
  }

  /// The error for which the end couldn't be reported.
  var reportError: (any Error)? {
    get { state.withLock(\.reportError) }
    set { state.withLock { $0.reportError = newValue } }
  }
}
