#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A job in memory. It decides about claims like the function `timers.claim_1` in PostgreSQL.
struct MemoryJob {
  /// The claim of the run under way.
  struct Running {
    var id: UUID
    var claim: ClaimVerdict.Claim
    var replica: String
    var began: StoreTime
    var leaseEnd: StoreTime
  }

  var fingerprint: String
  var knownSince: StoreTime
  var record: ClusterJob
  var running: Running?

  init(name: String, fingerprint: String, now: StoreTime) {
    self.fingerprint = fingerprint
    knownSince = now
    record = ClusterJob(name: name, lastDate: now)
  }

  /// The verdict on a claim, and the token of the run it has ended as abandoned.
  struct ClaimEffects {
    var verdict: ClaimVerdict
    var abandoned: Int64?
  }

  mutating func claim(_ request: ClaimRequest, now: StoreTime, newToken: () -> Int64) -> ClaimEffects {
    let leaseEnd = now + request.lease
    if let running, running.id == request.id {
      self.running?.leaseEnd = leaseEnd
      return ClaimEffects(verdict: .claimed(running.claim))
    }
    if let running, running.leaseEnd > now {
      return ClaimEffects(verdict: .busy(cursor: record.lastDate, until: running.leaseEnd))
    }
    if record.isPaused { return ClaimEffects(verdict: .paused) }
    let abandoned = running
    running = nil
    if abandoned != nil { record.abandonedCount += 1 }
    if let earlier = abandoned?.claim, earlier.attempt < request.attempts {
      var claim = earlier
      claim.attempt += 1
      return begin(claim, request, now, newToken, abandoned: earlier.token)
    }
    guard record.lastDate == request.cursor else {
      return ClaimEffects(verdict: .moved(cursor: record.lastDate), abandoned: abandoned?.claim.token)
    }
    guard request.date <= now else {
      record.nextDate = request.date
      return ClaimEffects(verdict: .early, abandoned: abandoned?.claim.token)
    }
    record.lastDate = request.date
    record.nextDate = request.following
    record.missedCount += request.missedCount
    let claim = ClaimVerdict.Claim(
      date: request.date, token: 0, attempt: 1, missedCount: request.missedCount)
    return begin(claim, request, now, newToken, abandoned: abandoned?.claim.token)
  }

  private mutating func begin(
    _ claim: ClaimVerdict.Claim, _ request: ClaimRequest, _ now: StoreTime, _ newToken: () -> Int64,
    abandoned: Int64?
  ) -> ClaimEffects {
    var claim = claim
    claim.token = newToken()
    running = Running(
      id: request.id, claim: claim, replica: request.replica, began: now, leaseEnd: now + request.lease)
    return ClaimEffects(verdict: .claimed(claim), abandoned: abandoned)
  }

  /// Returns the job as an operator sees it.
  func record(at now: StoreTime) -> ClusterJob {
    var record = record
    record.run = running.map {
      ClusterJob.Run(
        replica: $0.replica, scheduledDate: $0.claim.date, token: $0.claim.token, attempt: $0.claim.attempt,
        began: $0.began, leaseLeft: $0.leaseEnd - now)
    }
    return record
  }
}
