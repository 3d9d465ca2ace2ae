import Synchronization
import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Claims the dates of one job for this replica, and runs its action for them.
///
/// The job's timer wakes the driver for the next date, when another replica's lease may have ended, and to try again.
/// The driver's own view of time and dates only decides when it asks. The store alone decides about claims.
final class ClusterJobDriver: Sendable {
  typealias Action = @isolated(any) @Sendable (ClusterRun) async throws -> Void

  /// The result of a wakeup: the wait until the next one, and an error for the observer.
  struct Outcome {
    var wait: Duration
    var error: (any Error)?
  }

  private let name: String
  private let dates: ClusterDates
  private let attempts: Int
  private let action: Action
  private let replica: ClusterReplica
  /// The job's progress, nil until the store knows the job.
  private let progress = Mutex<JobProgress?>(nil)
  /// The number of successive requests that failed or brought nothing.
  private let failures = Mutex(0)

  init(name: String, dates: ClusterDates, attempts: Int, replica: ClusterReplica, action: @escaping Action) {
    self.name = name
    self.dates = dates
    self.attempts = attempts
    self.replica = replica
    self.action = action
  }

  /// Does all work that is due, and returns the wait until there is more.
  func advance() async -> Outcome {
    do {
      while !Task.isCancelled {
        guard let progress = progress.withLock(\.self) else {
          try await register()
          continue
        }
        let now = replica.now
        let next = dates.next(after: progress.base, now: now)
        guard let moment = progress.nextQuestion(before: next?.date) else {
          return Outcome(wait: .seconds(86_400))
        }
        if moment > now { return Outcome(wait: moment - now) }
        if let wait = try await claim(next) { return wait }
      }
      return Outcome(wait: .zero)
    } catch {
      // The job may have been deleted. Its cursor is unchanged, so asking again loses no date.
      if case ClusterError.unknownJob = error { progress.withLock { $0 = nil } }
      return Outcome(
        wait: backoff(from: replica.lease / 10), error: ClusterError.storeFailed(job: name, underlying: error)
      )
    }
  }

  private func register() async throws {
    let registration = try await replica.ask(
      { [store = replica.store, name, dates] in
        try await store.register(job: name, fingerprint: dates.fingerprint)
      }, now: \.now)
    progress.withLock { $0 = JobProgress(registration) }
  }

  /// Claims a date, and runs the action if the claim succeeds.
  private func claim(_ next: ClusterDates.Next?) async throws -> Outcome? {
    // Without a date, the request only asks whether a run was abandoned.
    let date = next?.date ?? .never
    let following = dates.date(after: date)
    let request: ClaimRequest? = progress.withLock { progress in
      guard let id = progress?.ask(), let cursor = progress?.cursor else { return nil }
      return ClaimRequest(
        id: id, job: name, cursor: cursor, date: date, following: following,
        missedCount: next?.missedCount ?? 0, replica: replica.name, lease: replica.lease, attempts: attempts)
    }
    guard let request else { return nil }
    let asked = replica.elapsed
    let (verdict, now) = try await replica.ask(
      { [store = replica.store] in try await store.claim(request) }, now: \.now)
    progress.withLock { $0?.answered(verdict, for: date, now: now) }
    if verdict == .contended { return Outcome(wait: backoff(from: .milliseconds(5))) }
    failures.withLock { $0 = 0 }
    guard case .claimed(let claim) = verdict else {
      // The two clocks differ by less than a request takes.
      if verdict == .early, date - now < .milliseconds(100) {
        return Outcome(wait: max(date - now, .microseconds(100)))
      }
      return nil
    }
    // A third of the lease must be left, so that the run can end before another replica may take over.
    if replica.elapsed - asked >= replica.lease * 2 / 3 {
      progress.withLock { $0?.reopen(request.id) }
      return nil
    }
    return await run(claim, asked: asked)
  }

  private func run(_ claim: ClaimVerdict.Claim, asked: Duration) async -> Outcome {
    let run = ActiveRun(claim, of: name, on: replica, asked: asked)
    replica.hold(run)
    var outcome = Outcome(wait: .zero)
    do { try await run.perform(action) } catch { outcome.error = error }
    if let end = run.unknownEnd {
      let closing = replica.companion.schedule(.after(.zero)) { [self] _ in await close(run, end) }
      await closing.waitUntilFinished()
    } else {
      replica.release(run)
    }
    return outcome
  }

  /// Reports the end of a run to the store, and repeats that until the store answers.
  private func close(_ run: ActiveRun, _ end: RunEnd) async {
    defer { replica.release(run) }
    var wait = replica.lease / 20
    while !Task.isCancelled {
      let answer = try? await replica.limited { [store = replica.store, name] in
        try await store.finish(job: name, token: run.claim.token, failure: end.failure)
      }
      if answer != nil { return }
      // Another replica may have taken over the run by now, and the program may be waiting for this replica to end.
      if run.timeSinceRenewal > replica.lease { return }
      try? await replica.companion.sleep(for: wait)
      wait = min(wait * 2, replica.lease / 3)
    }
  }

  /// Returns the wait after one more failure: twice the previous one, up to a lease.
  private func backoff(from first: Duration) -> Duration {
    let count = failures.withLock { count in
      defer { count += 1 }
      return min(count, 16)
    }
    return min(first * (1 << count), replica.lease)
  }
}
