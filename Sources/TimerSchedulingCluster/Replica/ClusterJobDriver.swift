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
    progress.withLock { $0 = JobProgress(registration, lease: replica.lease) }
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
    if verdict == .contended {
      let wait = backoff(from: .milliseconds(5))
      return Outcome(wait: wait, error: wait < replica.lease ? nil : ClusterError.jobLocked(name))
    }
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
    switch run.end {
    case .known: replica.release(run)
    case .unknown(let failure):
      // In a timer of its own, as the job's may be cancelled.
      let report = replica.companion.schedule(.after(.zero)) { [self] _ in await self.report(run, failure) }
      await report.waitUntilFinished()
      if let error = run.reportError {
        outcome.error = error
        wasCutOff()
      }
    case .cutOff:
      replica.release(run)
      wasCutOff()
    }
    return outcome
  }

  private func wasCutOff() { progress.withLock { $0?.wasCutOff(at: replica.now) } }

  /// Reports the end of a run to the store, and repeats that for the time of a lease until the store answers.
  private func report(_ run: ActiveRun, _ failure: String?) async {
    defer { replica.release(run) }
    var (failure, wait) = (failure, replica.lease / 20)
    let token = run.claim.token
    let start = replica.elapsed
    while true {
      do {
        let isEnded = try await replica.limited { [store = replica.store, name, failure] in
          try await store.finish(job: name, token: token, failure: failure)
        }
        run.reportError = isEnded ? nil : ClusterError.takenOver(job: name, token: token)
        return
      } catch {
        run.reportError = ClusterError.storeFailed(job: name, underlying: error)
      }
      // From here on, the run counts as abandoned once its lease has ended. The program may be waiting for this replica.
      if replica.elapsed - start > replica.lease { return }
      // The database may be unable to hold some characters.
      failure = failure.map {
        $0.unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
      }
      do { try await replica.companion.sleep(for: wait) } catch { return }
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
