/// The greatest numbers of runs of a handler on all replicas.
package struct HandlerLimits: Sendable, Hashable, Codable {
  /// In all, and of each key. Nil for any number.
  package var inAll, perKey: Int?

  package init(inAll: Int? = nil, perKey: Int? = nil) { (self.inAll, self.perKey) = (inAll, perKey) }
}

/// The row of a handler with limits. Each claim of its jobs changes it, so two claims never count the same
/// room.
package struct TurnRow: Sendable, Hashable, Codable {
  /// The last key that had its turn.
  package var key = ""
  package var claims: Int64 = 0

  package init() {}
}

/// The runs of a handler with limits that are under way, and the last key that had its turn.
package struct HandlerTurn: Sendable {
  /// The numbers of runs by key. Jobs without a key have an empty one, which has no limit.
  package var running: [String: Int] = [:]
  package var last = ""

  package init(running: [String: Int] = [:], last: String = "") {
    (self.running, self.last) = (running, last)
  }

  /// The number of further runs within a limit.
  func room(within limits: HandlerLimits) -> Int {
    limits.inAll.map { max(0, $0 - running.values.reduce(0, +)) } ?? .max
  }

  /// Returns the rows that may be taken, in the order in which they have their turns: those of keys with the
  /// fewest runs come first, and of these in a circle those after the last one.
  /// Twin: `timers.turns_2`.
  func order(_ rows: [JobRow], within limits: HandlerLimits) -> [JobRow] {
    var counts = running
    let ranked = rows.sorted { $0.isDueBefore($1) }.compactMap { row -> (row: JobRow, rank: Int)? in
      let rank = counts[row.key, default: 0] + 1
      counts[row.key] = rank
      return row.key.isEmpty || rank <= limits.perKey ?? .max ? (row, rank) : nil
    }
    return ranked.sorted { ($0.rank, place(of: $0.row.key)) < ($1.rank, place(of: $1.row.key)) }
      .prefix(room(within: limits)).map(\.row)
  }

  /// Returns the key that is the last one after these rows have had their turns.
  /// Twin: `timers.take_2`.
  func last(after rows: [JobRow]) -> String {
    rows.map(\.key).max { place(of: $0) < place(of: $1) } ?? last
  }

  private func place(of key: String) -> Place { Place(isPassed: !last.isEmpty && key <= last, key: key) }

  private struct Place: Comparable {
    var isPassed: Bool
    var key: String

    static func < (left: Self, right: Self) -> Bool {
      left.isPassed == right.isPassed ? left.key < right.key : right.isPassed
    }
  }
}

extension JobRow {
  /// The key, or an empty one.
  var key: String { job.key ?? "" }
}
