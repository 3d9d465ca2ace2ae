import Synchronization
import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rows that the session holds, and its lease.
extension ClusterReplica {
  /// Keeps the rows of runs from now on. `asked` is when the claim was sent that brought them.
  func hold(_ runs: [ActiveRun], asked: Duration) {
    let isFirst = state.withLock { state in
      for run in runs { state.runs[run.claim.token] = run }
      defer { state.isRenewing = true }
      return !state.isRenewing
    }
    confirmed(at: asked)
    if isFirst { renew(after: lease / 3) }
  }

  /// Ends the care for a run whose end the store knows.
  func release(_ run: ActiveRun) {
    let isLast = state.withLock { state in
      state.runs[run.claim.token] = nil
      return state.jobs.isEmpty && state.runs.isEmpty
    }
    if isLast { wake() }
  }

  /// Leaves a run to other replicas.
  func giveUp(_ run: ActiveRun) {
    let isHeld = state.withLock { state in
      guard state.runs.removeValue(forKey: run.claim.token) != nil else { return false }
      state.givenUp.insert(run.claim.token)
      state.isRenewing = true
      return true
    }
    if isHeld { renew(after: .zero) }
  }

  /// The session ends by itself after two thirds of the lease without the store, before another replica may take over.
  private func confirmed(at asked: Duration) {
    let (deadline, left) = state.withLock { state in
      state.confirmed = max(state.confirmed, asked)
      return (state.deadline, state.confirmed + lease * 2 / 3 - elapsed)
    }
    let schedule = TimerSchedule.every(.seconds(86_400), starting: .after(max(.zero, left)))
    if let deadline {
      deadline.reschedule(schedule)
    } else {
      let timer = companion.schedule(schedule) { [weak self] _ in self?.cutOffIfLate() }
      state.withLock { $0.deadline = timer }
    }
  }

  private func cutOffIfLate() {
    let (session, isLate) = state.withLock { state in
      (state.session.id, !state.runs.isEmpty && elapsed >= state.confirmed + lease * 2 / 3)
    }
    if isLate { cutOff(session) { .leaseNotRenewed(job: $0.job, token: $0.token) } }
  }

  /// Cancels all runs of a session, and takes a new one.
  func cutOff(_ session: UUID, _ loss: (ClaimedRun) -> ClusterError) {
    let runs = state.withLock { state -> [ActiveRun] in
      guard state.session.id == session else { return [] }
      defer {
        state.session = state.session.renewed()
        (state.runs, state.givenUp) = ([:], [])
      }
      return Array(state.runs.values)
    }
    for run in runs { run.lose(loss(run.claim)) }
    wake()
  }

  // MARK: Renewals

  /// Renews the session after a wait, and again while there is something to keep or to give up: after each third of the
  /// lease, or after a twentieth if the store hasn't answered.
  private func renew(after wait: Duration) {
    companion.schedule(.after(wait)) { [weak self] _ in
      guard let self, let hasAnswer = await self.renew() else { return }
      self.renew(after: hasAnswer ? self.lease / 3 : self.lease / 20)
    }
  }

  /// Returns whether the store has answered, or nil if there is nothing to renew.
  private func renew() async -> Bool? {
    for driver in state.withLock({ $0.jobs.values.compactMap(\.driver) }) { driver.releaseIfPaused() }
    let (session, runs, givenUp) = state.withLock { state in
      state.isRenewing = !state.runs.isEmpty || !state.givenUp.isEmpty
      return (state.session.id, state.runs, state.givenUp)
    }
    guard !runs.isEmpty || !givenUp.isEmpty else { return nil }
    let asked = elapsed
    // If there is no answer, the deadline ends the session in time. So a renewal that hangs leaves time for others.
    guard
      let answer = try? await ask(
        leasePart: 6,
        { [store, lease] in try await store.renew(session: session, lease: lease, givenUp: Array(givenUp)) },
        now: \.now)
    else { return false }
    if answer.isOver {
      cutOff(session) { .takenOver(job: $0.job, token: $0.token) }
      return true
    }
    let held = Set(answer.tokens)
    let lost = state.withLock { state in
      // A row that another transaction has locked is still held.
      state.givenUp.subtract(givenUp.subtracting(held))
      // A run whose end is being written isn't lost, but over.
      return runs.keys.filter { !held.contains($0) }.compactMap { state.runs.removeValue(forKey: $0) }
    }
    for run in lost { run.lose(.takenOver(job: run.claim.job, token: run.claim.token)) }
    confirmed(at: asked)
    if !givenUp.isEmpty { wake() }
    return true
  }
}
