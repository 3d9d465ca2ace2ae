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
    let ordered = ranked.sorted { left, right in
      left.rank == right.rank ? isBefore(left.row.key, right.row.key) : left.rank < right.rank
    }
    return ordered.prefix(room(within: limits)).map(\.row)
  }

  /// Returns the key that is the last one after these rows have had their turns.
  /// Twin: `timers.take_2`.
  func last(after rows: [JobRow]) -> String { rows.map(\.key).max(by: isBefore) ?? last }

  /// Whether a key has its turn before another one, as the keys up to the last one have had theirs.
  private func isBefore(_ key: String, _ other: String) -> Bool {
    let (isPassed, isOtherPassed) = (!last.isEmpty && key <= last, !last.isEmpty && other <= last)
    return isPassed == isOtherPassed ? key < other : isOtherPassed
  }
}

extension JobRow {
  /// The key, or an empty one.
  var key: String { job.key ?? "" }
}
