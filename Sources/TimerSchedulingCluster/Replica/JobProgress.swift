#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a replica knows of a job, and when it has to ask the store next.
struct JobProgress: Hashable {
  /// The last date that was claimed, as far as the replica knows.
  private(set) var cursor: StoreTime
  /// No date until then is owed: the schedule wasn't known, or the job was paused.
  private(set) var floor: StoreTime
  /// When the run of another replica may turn out to be abandoned.
  private(set) var watch: StoreTime?
  /// When the store last said that a run is under way.
  private var busySince: StoreTime?
  /// Identifies the claim whose answer is unknown.
  private(set) var openClaim: UUID?

  init(_ registration: JobRegistration) {
    cursor = registration.cursor
    floor = registration.knownSince
    // A run may have been abandoned while no replica was there, so the store is asked at once.
    watch = registration.now
  }

  /// The date after which the next one is owed.
  var base: StoreTime { max(cursor, floor) }

  /// When to ask the store, given the next date. Nil if there is nothing to wait for.
  func nextQuestion(before date: StoreTime?) -> StoreTime? {
    if openClaim != nil { return cursor }
    guard let date else { return watch }
    guard let watch else { return date }
    // A date that was due while the store said busy waits until the lease has ended.
    if let busySince, date <= busySince { return watch }
    return min(date, watch)
  }

  /// A claim is asked for. Returns its identifier, that of the earlier one if its answer is unknown.
  mutating func ask() -> UUID {
    let id = openClaim ?? UUID()
    openClaim = id
    return id
  }

  /// The store has answered to a claim for a date.
  mutating func answered(_ verdict: ClaimVerdict, for date: StoreTime, now: StoreTime) {
    openClaim = nil
    watch = nil
    busySince = nil
    switch verdict {
    case .claimed(let claim): cursor = max(cursor, claim.date)
    case .moved(let moved): cursor = moved
    case .busy(let moved, let until):
      cursor = moved
      watch = until
      busySince = now
    case .paused: if date <= now { floor = max(floor, date) }
    case .early: break
    case .contended: watch = now
    }
  }

  /// An answer came too late to begin the run, so that it is asked for again.
  mutating func reopen(_ id: UUID) { openClaim = id }
}
