#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A replica's knowledge of a job, from which follows when it asks the store next.
package struct JobProgress: Hashable {
  /// The last claimed date, as far as the replica knows.
  package private(set) var cursor: StoreTime
  /// The moment up to which no date needs to be run, because the schedule wasn't known or the job was paused.
  package private(set) var floor: StoreTime
  /// The moment at which a run, of another replica or one that this replica couldn't end, may turn out to be abandoned.
  package private(set) var watch: StoreTime?
  /// The moment at which the store last answered that a run is under way.
  private var busySince: StoreTime?
  /// The identifier of a claim whose answer is unknown.
  package private(set) var openClaim: UUID?
  private let lease: Duration

  package init(_ registration: JobRegistration, lease: Duration) {
    self.lease = lease
    cursor = registration.cursor
    floor = registration.knownSince
    // A run may have been abandoned while no replica was running, so the store is asked at once.
    watch = registration.now
  }

  /// The moment after which the next date needs to be run.
  package var base: StoreTime { max(cursor, floor) }

  /// Returns the time of the next request to the store, given the next date. Nil if there is nothing to wait for.
  package func nextQuestion(before date: StoreTime?) -> StoreTime? {
    if openClaim != nil { return cursor }
    guard let date else { return watch }
    guard let watch else { return date }
    // A date that was already due when the store answered that the job is busy waits until the lease has ended.
    if let busySince, date <= busySince { return watch }
    return min(date, watch)
  }

  /// Begins a claim. Returns its identifier, which is the earlier claim's if that one's answer is unknown.
  package mutating func ask() -> UUID {
    let id = openClaim ?? UUID()
    openClaim = id
    return id
  }

  /// Updates the progress with the store's answer to a claim.
  package mutating func answered(_ verdict: ClaimVerdict, for date: StoreTime, now: StoreTime) {
    // A locked row tells nothing, and may have the claim of a request whose answer was lost.
    if verdict == .contended { return }
    let wasWatching = watch != nil
    watch = nil
    busySince = nil
    openClaim = nil
    switch verdict {
    case .claimed(let claim): cursor = max(cursor, claim.date)
    case .moved(let moved): cursor = moved
    case .busy(let moved, let until):
      cursor = moved
      watch = until
      busySince = now
    case .paused:
      if date <= now { floor = max(floor, date) }
      // A run that was abandoned before the pause may have attempts left after it.
      if wasWatching { watch = now + lease }
    case .early, .contended: break
    }
  }

  /// Notes that a run of this replica was over at `now`, but the store doesn't know its end.
  package mutating func wasCutOff(at now: StoreTime) { watch = now + lease }

  /// Makes the replica ask again for a claim whose answer came too late to begin the run.
  package mutating func reopen(_ id: UUID) { openClaim = id }
}
