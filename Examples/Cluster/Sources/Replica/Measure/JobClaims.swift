import Foundation
import TimerSchedulingCluster

/// A job whose next date is claimed and ended again and again.
actor JobClaims: LoadStep {
  private let store: any TimerStore
  private let job: String
  private var cursor: StoreTime

  init(_ store: any TimerStore, _ number: Int) async throws {
    self.store = store
    job = "measured \(number)"
    cursor = try await store.register(job: job, fingerprint: "measured").cursor
  }

  func perform() async throws -> Duration {
    let asked = ContinuousClock.now
    let request = ClaimRequest(
      id: UUID(), job: job, cursor: cursor, date: cursor + .microseconds(1), missedCount: 0,
      replica: "measure",
      lease: .seconds(60), attempts: 1)
    guard case .claimed(let claim) = try await store.claim(request).verdict else { throw Load.NotClaimed() }
    let latency = ContinuousClock.now - asked
    cursor = claim.date
    guard try await store.finish(job: job, token: claim.token, failure: nil) else { throw Load.NotClaimed() }
    return latency
  }
}
