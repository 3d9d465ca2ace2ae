/// The troubles that a replica's claims have found and an operator should know of. Each is reported once.
package struct ClaimTroubles: Hashable {
  /// The locked rows, with the time at which each was found, or reported the last time.
  private var lockedSince: [String: Duration] = [:]
  /// The jobs with another schedule.
  private var changed: Set<String> = []
  /// The handlers that no replica has.
  private var unhandled: Set<String> = []

  package init() {}

  /// Returns the jobs whose rows have been locked for a lease, those that have another schedule now, and the handlers that
  /// no replica has now.
  package mutating func update(
    _ answer: ClaimAnswer, at elapsed: Duration, lease: Duration
  ) -> (locked: [String], changed: [String], unhandled: [String]) {
    lockedSince = Dictionary(answer.locked.map { ($0, lockedSince[$0] ?? elapsed) }) { first, _ in first }
    let locked = lockedSince.filter { elapsed - $0.value >= lease }.keys.sorted()
    for job in locked { lockedSince[job] = elapsed }
    let found = Set(answer.others + answer.unserved)
    defer { (changed, unhandled) = (found, Set(answer.unhandled)) }
    return (
      locked, found.subtracting(changed).sorted(), Set(answer.unhandled).subtracting(unhandled).sorted()
    )
  }
}
