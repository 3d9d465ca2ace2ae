import Foundation
import TimerSchedulingCluster

/// A job whose row is claimed and ended again and again, by a session of its own.
actor JobClaims: LoadStep {
  private let store: any TimerStore
  private let session = UUID()
  private var number: Int64 = 0

  init(_ store: any TimerStore, _ number: Int) async throws {
    self.store = store
    let job = "measured \(number)"
    _ = try await store.register(
      SessionRegistration(
        session: session, replica: "measure", lease: 60_000_000, serves: [job: "measured"], declares: [job]))
  }

  func perform() async throws -> Duration {
    let asked = ContinuousClock.now
    number += 1
    let request = ClaimRequest(
      session: session, number: number, isRepeated: false, limit: 1, lease: 60_000_000, except: [])
    guard let run = try await store.claim(request).runs.first else { throw Load.NotClaimed() }
    let latency = ContinuousClock.now - asked
    let end = RunEnd(
      token: run.token, outcome: .done, date: run.until, through: run.until, next: run.until,
      schedule: "measured",
      missed: 0)
    guard try await store.end([end]).verdicts == [.written] else { throw Load.NotClaimed() }
    return latency
  }
}
