import TimerScheduling
import TimerSchedulingFoundation

/// How a replica rests in virtual time. Its store, in memory, tells the replica of each change at once.
///
/// A replica without a run *rests*: it makes no request until the store tells of a change, or time alone may
/// change an answer. Meanwhile the store renews its session before each request of others, as the replica
/// would have done in time.
extension ClusterReplica {
  /// Ends a rest, as the replica looks. Returns the number of the store's changes before. Nil if the store
  /// tells of none.
  func endListening() -> Int? {
    let session = state.withLock { state in
      state.restEnd = nil
      return state.session.id
    }
    return telling?.endListening(for: session)
  }

  /// Has the store tell of the next change, after a look. Begins a rest if there is nothing to keep or to do.
  func listen(since changes: Int) {
    guard let telling else { return }
    let (session, isResting) = mayRest
    let tell: @Sendable () -> Void = { [weak self] in self?.wake() }
    guard var end = telling.listen(for: session, isResting: isResting, since: changes, tell) else {
      // There was a change during the look.
      return state.withLock { $0.plan.want(at: nil) }
    }
    guard isResting else { return }
    let removal = telling.nextRemoval(history)
    state.withLock { state in
      guard let now = state.now(at: elapsed) else { return }
      if let removal { end = min(end, max(removal, now + (state.tidied - elapsed))) }
      let retries = state.unreadable.values.map(\.retry).filter { $0 > elapsed }
      if let retry = retries.min() { end = min(end, now + (retry - elapsed)) }
      state.restEnd = end
    }
  }

  /// The session, and whether the store knows it as it is and it holds no row.
  private var mayRest: (session: UUID, isResting: Bool) {
    let drivers = state.withLock { Array($0.jobs.values) + $0.handlers.values }
    // Not under the lock, as a timer whose state is read may be over, and calls `remove`. The replica isn't
    // told of the end of a pause by the scheduler's `resumeAll()`.
    let isPaused = drivers.contains { $0.timers.isPaused }
    return state.withLock { state in
      let holdsNothing = state.runs.isEmpty && state.lost.isEmpty && state.givenUp.isEmpty
      let isKnown = state.session.isKnown && state.session.declares == nil && !state.session.isOpen
      return (state.session.id, holdsNothing && isKnown && !isPaused)
    }
  }
}
