/// The troubles that a replica's claims have found and an operator should know of. Each is reported once.
package struct ClaimTroubles: Hashable {
  /// The locked rows, with the time at which each was found, or reported the last time.
  private var lockedSince: [String: Duration] = [:]
  /// The jobs with another schedule.
  private var changed: Set<String> = []
  /// The jobs whose names have jobs that were put.
  private var put: Set<String> = []
  /// The handlers that no replica has.
  private var unhandled: Set<String> = []
  /// When the replica was found to have as many runs as it may have. Nil if it hasn't.
  private var fullSince: Duration?
  private var isFullReported = false

  package init() {}

  /// Returns the jobs whose rows have been locked for a lease, those that have another schedule now, those whose names
  /// have jobs that were put, and the handlers that no replica has now, and whether the replica has had as many runs as
  /// it may have for a lease.
  package mutating func update(
    _ answer: ClaimAnswer, isFull: Bool = false, at elapsed: Duration, lease: Duration
  ) -> (locked: [String], changed: [String], put: [String], unhandled: [String], isFull: Bool) {
    lockedSince = Dictionary(answer.locked.map { ($0, lockedSince[$0] ?? elapsed) }) { first, _ in first }
    let locked = lockedSince.filter { elapsed - $0.value >= lease }.keys.sorted()
    for job in locked { lockedSince[job] = elapsed }
    let found = Set(answer.others + answer.unserved)
    fullSince = isFull ? fullSince ?? elapsed : nil
    let isLongFull = fullSince.map { elapsed - $0 >= lease } ?? false
    defer {
      (changed, put, unhandled, isFullReported) = (
        found, Set(answer.put), Set(answer.unhandled), isLongFull
      )
    }
    return (
      locked, found.subtracting(changed).sorted(), Set(answer.put).subtracting(put).sorted(),
      Set(answer.unhandled).subtracting(unhandled).sorted(),
      isLongFull && !isFullReported
    )
  }
}
