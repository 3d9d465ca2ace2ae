/// The troubles that a replica's claims have found and an operator should know of. Each is reported once.
package struct ClaimTroubles: Hashable {
  /// The locked rows, with the time at which each was found, or reported the last time.
  private var lockedSince: [String: Duration] = [:]
  /// When the replica was found to have as many runs as it may have. Nil if it hasn't.
  private var fullSince: Duration?
  /// The texts of the last answer's other errors.
  private var known: Set<String> = []

  package init() {}

  /// Returns the errors to report: of a locked row, and of a replica that is full, after a lease.
  ///
  /// The rows of `locked` were locked when their jobs were declared.
  package mutating func update(
    _ answer: ClaimAnswer, locked: Set<String> = [], replica: String = "", isFull: Bool = false,
    at elapsed: Duration, lease: Duration
  ) -> [ClusterError] {
    lockedSince = Dictionary(
      uniqueKeysWithValues: locked.union(answer.locked).map { ($0, lockedSince[$0] ?? elapsed) })
    let locked = lockedSince.filter { elapsed - $0.value >= lease }.keys.sorted()
    for job in locked { lockedSince[job] = elapsed }
    fullSince = isFull ? fullSince ?? elapsed : nil
    var found = Set(answer.others + answer.unserved).sorted().map { ClusterError.scheduleChanged(job: $0) }
    found += Set(answer.put).sorted().map { .nameTaken(job: $0) }
    found += Set(answer.unhandled).sorted().map { .handlerMissing(handler: $0) }
    if let fullSince, elapsed - fullSince >= lease { found.append(.replicaFull(replica: replica)) }
    let texts = found.map(\.description)
    defer { known = Set(texts) }
    return locked.map { .jobLocked(job: $0) } + zip(texts, found).filter { !known.contains($0.0) }.map(\.1)
  }
}
