import TimerScheduling

/// The timers of one page among all that were looked at.
struct RowSelection {
  /// The timers of the page, in order, each with the number of its scheduler.
  private(set) var rows: [(source: Int, snapshot: TimerSnapshot)] = []
  /// The number of timers that meet the query, on all pages.
  let matchCount: Int
  let pageCount: Int
  /// The page that is shown: the last one if the query asks for a later one.
  let page: Int

  /// Selects the timers of a page.
  ///
  /// Only the page is sorted, so among *n* timers this takes a time of O(*n*).
  ///
  /// - Parameters:
  ///   - looks: The timers of each scheduler. Nil for a scheduler that the query leaves out.
  ///   - pageSize: The number of timers on a page.
  init(_ query: TimerQuery, from looks: [[TimerSnapshot]?], pageSize: Int = TimerQuery.pageSize) {
    var candidates = Self.candidates(query, from: looks)
    matchCount = candidates.count
    pageCount = max((matchCount + pageSize - 1) / pageSize, 1)
    page = min(query.page, pageCount)
    let start = (page - 1) * pageSize
    let range = start..<min(start + pageSize, matchCount)

    func snapshot(_ candidate: Candidate) -> TimerSnapshot? { looks[candidate.source]?[candidate.index] }
    let isDescending = query.order.isDescending
    candidates.sort(within: range) { left, right in
      if left.key != right.key { return (left.key < right.key) != isDescending }
      if let leftName = snapshot(left)?.name, let rightName = snapshot(right)?.name, leftName != rightName {
        return NameOrder.isBefore(leftName, rightName) != (isDescending && query.order.column == .name)
      }
      return (left.source, left.number) < (right.source, right.number)
    }
    rows = candidates[range].compactMap { candidate in
      snapshot(candidate).map { (candidate.source, $0) }
    }
  }

  /// All timers that meet a query, by scheduler. Others get their turn meanwhile.
  static func matches(
    _ query: TimerQuery, in looks: [[TimerSnapshot]?]
  ) async -> [(source: Int, snapshot: TimerSnapshot)] {
    let search = NameSearch(query.search)
    var matches: [(source: Int, snapshot: TimerSnapshot)] = []
    for (source, look) in looks.enumerated() {
      for (index, snapshot) in (look ?? []).enumerated() {
        if query.state?.includes(snapshot) != false, search.finds(snapshot) {
          matches.append((source, snapshot))
        }
        if index.isMultiple(of: Self.sliceCount) { await Task.yield() }
      }
    }
    return matches
  }

  /// The number of timers that are compared with a query in some milliseconds.
  private static let sliceCount = 10_000

  /// A timer that meets the query, and what it is sorted by.
  private struct Candidate {
    let key: Double
    let source: Int
    let index: Int
    let number: UInt64
  }

  private static func candidates(_ query: TimerQuery, from looks: [[TimerSnapshot]?]) -> [Candidate] {
    let search = NameSearch(query.search)
    var candidates: [Candidate] = []
    for (source, look) in looks.enumerated() {
      guard let look else { continue }
      for (index, snapshot) in look.enumerated()
      where query.state?.includes(snapshot) != false && search.finds(snapshot) {
        candidates.append(
          Candidate(
            key: query.order.column.key(of: snapshot), source: source, index: index,
            number: UInt64(snapshot.id.description) ?? .max))
      }
    }
    return candidates
  }
}
