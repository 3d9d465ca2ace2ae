public import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A check of everything a `TimerStore` has to do, for the tests of a store of your own.
///
/// ```swift
/// let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
/// try await TimerStoreContract(store) { try await Task.sleep(for: $0) }.check()
/// ```
///
/// It uses jobs with random names. The store may hold other jobs, too.
public struct TimerStoreContract: Sendable {
  /// An error that says how a store breaks the contract.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The rule of the contract that the store breaks.
    public var description: String
  }

  private let store: any TimerStore
  private let pass: @Sendable (Duration) async throws -> Void
  private let job = "contract \(UUID())"
  private let lease = Duration.milliseconds(400)

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - store: The store to check.
  ///   - pass: Lets time pass on the store's clock, by sleeping or by moving a virtual clock.
  public init(_ store: any TimerStore, pass: @escaping @Sendable (Duration) async throws -> Void) {
    self.store = store
    self.pass = pass
  }

  /// Checks the store, which takes some seconds on its clock.
  ///
  /// - Throws: ``Violation``, or the store's error.
  public func check() async throws {
    let first = try await store.register(job: job, fingerprint: "one")
    try expect(
      first.cursor == first.knownSince && first.cursor <= first.now, "A new job's cursor is the present.")
    try await pass(.milliseconds(20))
    let again = try await store.register(job: job, fingerprint: "one")
    try expect(
      again.cursor == first.cursor && again.knownSince == first.knownSince, "A known job stays unchanged.")
    try expect(again.now > first.now, "The store's time advances.")
    try await checkClaims(from: first.cursor)
    try await checkAbandonment()
    try await checkPause()
    let changed = try await store.register(job: job, fingerprint: "two")
    try expect(changed.knownSince > first.knownSince, "A changed schedule is known since its registration.")
    let records = try await store.history(of: job, limit: 100)
    try expect(records.map(\.token) == records.map(\.token).sorted(by: >), "The newest runs come first.")
    let removed = try await store.removeHistory(before: changed.now + .seconds(1))
    try expect(removed >= records.count { $0.outcome != .running }, "Records of ended runs are removed.")
  }

  // MARK: Parts

  private func checkClaims(from cursor: StoreTime) async throws {
    let date = cursor + .microseconds(1001)
    let request = request(cursor, date, missed: 2)
    let far = try await claim(self.request(cursor, cursor + .seconds(3600)))
    try expect(far == .early, "A date that is later than the store's clock is early, not \(far).")
    guard case .claimed(let claim) = try await claim(request) else {
      throw violation("A due date is claimed.")
    }
    try expect(claim.date == date && claim.attempt == 1 && claim.missedCount == 2, "A claim is for its date.")
    let repeated = try await self.claim(request)
    try expect(repeated == .claimed(claim), "A repeated claim has the same answer, not \(repeated).")
    guard case .busy(date, _) = try await self.claim(self.request(date, date + .microseconds(1))) else {
      throw violation("A job whose lease is alive is busy.")
    }
    let renewed = try await store.renew([claim.token, -1], lease: lease)
    try expect(renewed.tokens == [claim.token], "Only a live token is renewed.")
    let shown = try await store.jobs().first { $0.name == job }
    try expect(shown?.run?.token == claim.token && shown?.lastDate == date, "A run under way is shown.")
    try expect(shown?.missedCount == 2, "Skipped dates are counted.")
    for _ in 1...2 {
      let isFinished = try await store.finish(job: job, token: claim.token, failure: nil)
      try expect(isFinished, "A run is finished, and may be finished again.")
    }
    let moved = try await self.claim(self.request(cursor, date))
    try expect(
      moved == .moved(cursor: date), "A date is claimed once: another cursor has moved, not \(moved).")
  }

  private func checkAbandonment() async throws {
    let cursor = try await store.register(job: job, fingerprint: "one").cursor
    let date = cursor + .microseconds(1)
    guard case .claimed(let first) = try await claim(request(cursor, date)) else {
      throw violation("The next date is claimed.")
    }
    try await pass(lease + .milliseconds(50))
    let again = try await claim(request(date, date + .seconds(3600), attempts: 2))
    guard case .claimed(let second) = again else {
      throw violation("An abandoned run is claimed again, not \(again).")
    }
    try expect(
      second.date == date && second.attempt == 2 && second.token > first.token, "Tokens only grow.")
    let isFenced = try await store.finish(job: job, token: first.token, failure: nil)
    try expect(!isFenced, "An abandoned run can't finish.")
    try await pass(lease + .milliseconds(50))
    let left = try await claim(request(date, date + .seconds(3600), attempts: 2))
    try expect(left == .early, "Without attempts left the run is abandoned for good, not \(left).")
    let outcomes = try await store.history(of: job, limit: 2).map(\.outcome)
    try expect(outcomes == [.abandoned, .abandoned], "Abandoned runs are recorded.")
  }

  private func checkPause() async throws {
    let cursor = try await store.register(job: job, fingerprint: "one").cursor
    let isKnown = try await store.setPaused(true, job: job)
    try expect(isKnown, "A known job is paused.")
    let isUnknown = try await store.setPaused(true, job: "no \(job)")
    try expect(!isUnknown, "An unknown job isn't paused.")
    let verdict = try await claim(request(cursor, cursor + .microseconds(1)))
    try expect(verdict == .paused, "A paused job isn't claimed, but \(verdict).")
    _ = try await store.setPaused(false, job: job)
    guard case .moved(let settled) = try await claim(request(cursor, cursor + .microseconds(1))),
      settled > cursor
    else { throw violation("The dates of a pause aren't run.") }
    try await pass(.milliseconds(10))
    guard case .claimed(let claim) = try await claim(request(settled, settled + .microseconds(1))) else {
      throw violation("A resumed job is claimed.")
    }
    let isFinished = try await store.finish(job: job, token: claim.token, failure: "it's broken")
    let newest = try await store.history(of: job, limit: 1).first
    try expect(
      isFinished && newest?.outcome == .failed && newest?.failure == "it's broken", "A failure is recorded.")
  }

  // MARK: Requests

  private func request(
    _ cursor: StoreTime, _ date: StoreTime, missed: Int = 0, attempts: Int = 1
  ) -> ClaimRequest {
    ClaimRequest(
      id: UUID(), job: job, cursor: cursor, date: date, following: date + .seconds(60), missedCount: missed,
      replica: "contract", lease: lease, attempts: attempts)
  }

  private func claim(_ request: ClaimRequest) async throws -> ClaimVerdict {
    try await store.claim(request).verdict
  }

  private func expect(_ condition: Bool, _ rule: String) throws { if !condition { throw violation(rule) } }

  private func violation(_ rule: String) -> Violation { Violation(description: rule) }
}
