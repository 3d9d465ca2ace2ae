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
  ///   - troubles: The timers of each scheduler that have troubles.
  ///   - pageSize: The number of timers on a page.
  init(
    _ query: TimerQuery, from looks: [[TimerSnapshot]?], troubles: [TimerTroubles] = [],
    pageSize: Int = TimerQuery.pageSize
  ) {
    let candidates = Self.candidates(query, from: looks, troubles)
    matchCount = candidates.count
    pageCount = max((matchCount + pageSize - 1) / pageSize, 1)
    page = min(query.page, pageCount)
    let start = (page - 1) * pageSize
    let range = start..<min(start + pageSize, matchCount)

    let isDescending = query.order.isDescending
    let selected = candidates.sorted(in: range) { left, right in
      if left.key != right.key { return (left.key < right.key) != isDescending }
      switch (looks[left.source]?[left.index].name, looks[right.source]?[right.index].name) {
      case (let leftName?, let rightName?) where leftName != rightName:
        return NameOrder.isBefore(leftName, rightName) != (isDescending && query.order.column == .name)
      case (.some, nil): return true
      case (nil, .some): return false
      case (.some, .some), (nil, nil): return (left.source, number(left)) < (right.source, number(right))
      }
    }
    func number(_ candidate: Candidate) -> UInt64 {
      (looks[candidate.source]?[candidate.index].id.description).flatMap { UInt64($0) } ?? .max
    }
    rows = selected.compactMap { candidate in
      looks[candidate.source].map { (candidate.source, $0[candidate.index]) }
    }
  }

  /// All timers that meet a query, by scheduler. Others get their turn meanwhile.
  static func matches(
    _ query: TimerQuery, in looks: [[TimerSnapshot]?], troubles: [TimerTroubles] = []
  ) async -> [(source: Int, snapshot: TimerSnapshot)] {
    let search = NameSearch(query.search)
    var matches: [(source: Int, snapshot: TimerSnapshot)] = []
    for (source, look) in looks.enumerated() {
      for (index, snapshot) in (look ?? []).enumerated() {
        let troubles = query.state == nil ? nil : troubles.of(snapshot, in: source)
        if query.state?.includes(snapshot, troubles) != false, search.finds(snapshot) {
          matches.append((source, snapshot))
        }
        if index.isMultiple(of: Self.sliceCount) { await Task.yield() }
      }
    }
    return matches
  }

  /// The number of timers that are compared with a query in some milliseconds.
  private static let sliceCount = 10_000

  /// A timer that meets the query, and the number by which it is sorted.
  private struct Candidate {
    let key: Double
    let source: Int
    let index: Int
  }

  private static func candidates(
    _ query: TimerQuery, from looks: [[TimerSnapshot]?], _ troubles: [TimerTroubles]
  ) -> [Candidate] {
    let search = NameSearch(query.search)
    var candidates: [Candidate] = []
    for (source, look) in looks.enumerated() {
      guard let look else { continue }
      candidates.reserveCapacity(candidates.count + look.count)
      for index in look.indices {
        let troubles = query.state == nil ? nil : troubles.of(look[index], in: source)
        guard query.state?.includes(look[index], troubles) != false, search.finds(look[index]) else {
          continue
        }
        let key = query.order.column.key(of: look[index])
        candidates.append(Candidate(key: key, source: source, index: index))
      }
    }
    return candidates
  }
}

/// The troubles of the timers of one scheduler, but for pauses.
typealias TimerTroubles = [ScheduledTimer.ID: Set<Health.Trouble>]

extension [TimerTroubles] {
  func of(_ snapshot: TimerSnapshot, in source: Int) -> Set<Health.Trouble>? {
    indices.contains(source) ? self[source][snapshot.id] : nil
  }
}
