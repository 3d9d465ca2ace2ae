import TimerScheduling
import TimerSchedulingFoundation

extension ClusterReplica {
  /// Forgets a run whose end the store knows.
  func release(_ run: ActiveRun) {
    let isAwaited = state.withLock { state in
      (state.runs[run.claim.token], state.lost[run.claim.token]) = (nil, nil)
      // Others may have waited for room in all.
      let hasLimits = state.handlers[run.claim.handler]?.limits != nil
      return state.isFull || hasLimits || state.isEmpty && state.runs.isEmpty
    }
    if isAwaited { wake() }
  }

  /// Leaves a run to all replicas.
  func giveUp(_ run: ActiveRun) {
    defer { wake() }
    state.withLock { state in
      state.lost[run.claim.token] = nil
      guard state.runs.removeValue(forKey: run.claim.token) != nil else { return }
      state.givenUp.insert(run.claim.token)
      renew(&state, at: elapsed)
    }
  }

  /// Notes that the session holds its rows from `asked` on, and has it renewed after a third of the lease.
  /// Without an answer it is cut off after two thirds, before another replica may take over.
  func confirmed(_ state: inout State, at asked: Duration) {
    state.confirmed = max(state.confirmed, asked)
    renew(&state, at: state.confirmed + lease / 3)
    state.deadline?.reschedule(.wakeup(after: state.confirmed + lease * 2 / 3 - elapsed))
  }

  func cutOffIfLate() {
    let (session, isLate) = state.withLock { state in
      (state.session.id, !state.runs.isEmpty && elapsed >= state.confirmed + lease * 2 / 3)
    }
    if isLate { cutOff(session, isLate: true) }
  }

  /// Cancels all runs of a session which is over or, if it `isLate`, may soon be, and takes a new one.
  func cutOff(_ session: UUID, isLate: Bool = false) {
    let runs = state.withLock { state -> [ActiveRun] in
      guard state.session.id == session else { return [] }
      defer {
        state.session = ReplicaSession(after: state.session)
        (state.runs, state.givenUp) = ([:], [])
      }
      for (token, run) in state.runs { state.lost[token] = run.claim.job }
      return Array(state.runs.values)
    }
    for run in runs { run.lose(isLate: isLate) }
    wake()
  }

  /// Has the session renewed at a moment or earlier.
  private func renew(_ state: inout State, at moment: Duration) {
    let moment = min(state.renewal ?? moment, moment)
    state.renewal = moment
    state.renewals?.reschedule(.wakeup(after: moment - elapsed))
  }

  /// Renews the session while there is something to keep or to give up.
  func renew() async {
    let drivers = state.withLock { Array($0.jobs.values) + $0.handlers.values }
    for driver in drivers { driver.timers.releasePaused() }
    let (session, runs, givenUp) = state.withLock { state in
      state.renewal = nil
      return (state.session.id, state.runs, state.givenUp)
    }
    guard !runs.isEmpty || !givenUp.isEmpty else { return }
    let asked = elapsed
    // If there is no answer, the deadline ends the session in time. So a renewal that hangs leaves time for
    // others.
    guard
      let answer = try? await ask(
        leasePart: 6,
        { [lease] in try await $0.renew(session: session, lease: lease, givenUp: Array(givenUp)) },
        now: \.now)
    else { return state.withLock { renew(&$0, at: elapsed + lease / 20) } }
    if answer.isOver { return cutOff(session) }
    let held = Set(answer.tokens)
    for run in answer.cancelled { runs[run.token]?.cancel(by: run.by) }
    let lost = state.withLock { state in
      // A row that another transaction has locked is still held.
      state.givenUp.subtract(givenUp.subtracting(held))
      confirmed(&state, at: asked)
      // A run whose end is being written isn't lost, but over.
      let lost = runs.keys.filter { !held.contains($0) }.compactMap { state.runs.removeValue(forKey: $0) }
      for run in lost { state.lost[run.claim.token] = run.claim.job }
      return lost
    }
    for run in lost { run.lose(isLate: false) }
    if !givenUp.isEmpty { wake() }
  }
}
