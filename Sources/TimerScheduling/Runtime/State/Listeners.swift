/// The listeners of a timer besides its first consumer, each with its cursor and its waiting tasks.
///
/// Each joins, leaves, takes and is woken in O(1).
package final class Listeners {
  /// Identifies a listener. It is never reused within a timer.
  package struct ID: Sendable, Hashable {
    let number: UInt64

    /// The identifier of the first consumer: of the action or, without one, of the first listener.
    package static let first = ID(number: 0)
  }

  private struct Listener {
    var cursor: TickCursor
    /// Whether the listener has joined ahead of all taken ticks and has taken none itself.
    var isAhead: Bool
    var tasks = WaitList<WaitingTask>()
  }

  @safe @exclusivity(unchecked) private var byID: [ID: Listener] = [:]
  /// The identifiers of listeners with waiting tasks, in the order in which they began to wait, and of some that have
  /// left.
  @safe @exclusivity(unchecked) private var waiting: [ID] = []
  /// The number of identifiers in `waiting` whose listeners haven't left.
  @safe @exclusivity(unchecked) private var waitingCount = 0
  /// A cursor before which no listener waits.
  @safe @exclusivity(unchecked) private var lowest = TickCursor.end
  /// The number of listeners ahead.
  @safe @exclusivity(unchecked) private var aheadCount = 0
  /// No listener with a lower number is ahead. The cursors of listeners ahead never decrease with their numbers, so the
  /// first of these listeners is the slowest.
  @safe @exclusivity(unchecked) private var firstAhead: UInt64 = 1
  @safe @exclusivity(unchecked) private var joinedCount: UInt64 = 0

  package init() {}

  var isEmpty: Bool { byID.isEmpty }
  var isAwaited: Bool { waitingCount > 0 }

  /// Adds a listener. `taken` is the ledger's ``TickLedger/settled``.
  package func join(_ cursor: TickCursor, taken: TickCursor) -> ID {
    joinedCount += 1
    let id = ID(number: joinedCount)
    byID[id] = Listener(cursor: cursor, isAhead: cursor > taken)
    if cursor > taken { aheadCount += 1 }
    return id
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  package func leave(_ id: ID) -> WaitList<WaitingTask>? {
    guard let listener = byID.removeValue(forKey: id) else { return nil }
    if listener.isAhead { aheadCount -= 1 }
    if !listener.tasks.isEmpty {
      waitingCount -= 1
      // Limits the number of identifiers of listeners that have left.
      if waiting.count > 2 * waitingCount + 64 { waiting.removeAll { byID[$0] == nil } }
    }
    return listener.tasks
  }

  /// Returns a cursor of the slowest listener, or nil without listeners. Cursors up to `taken` count as equal.
  package func slowest(taken: TickCursor) -> TickCursor? {
    guard !isEmpty else { return nil }
    while firstAhead <= joinedCount {
      let id = ID(number: firstAhead)
      if let listener = byID[id], listener.isAhead, listener.cursor > taken { break }
      isNotAhead(id)
      firstAhead += 1
    }
    return aheadCount < byID.count ? taken : cursor(of: ID(number: firstAhead))
  }

  func cursor(of id: ID) -> TickCursor? { byID[id]?.cursor }

  /// Moves a listener that has taken a tick to `cursor`.
  package func move(_ id: ID, to cursor: TickCursor) {
    isNotAhead(id)
    byID[id]?.cursor = cursor
  }

  private func isNotAhead(_ id: ID) {
    guard byID[id]?.isAhead == true else { return }
    byID[id]?.isAhead = false
    aheadCount -= 1
  }

  func contains(before end: TickCursor) -> Bool { byID.contains { $0.value.cursor < end } }

  /// Adds a waiting task, unless its listener has left.
  func add(_ task: WaitingTask, to id: ID) {
    guard let listener = byID[id] else { return }
    byID[id]?.tasks.append(task)
    if listener.tasks.isEmpty { waits(id, at: listener.cursor) }
  }

  private func waits(_ id: ID, at cursor: TickCursor) {
    waiting.append(id)
    waitingCount += 1
    lowest = min(lowest, cursor)
  }

  /// Moves one waiting task of each listener with a cursor before `end`, or with `all` every task, to `woken`.
  ///
  /// - Complexity: O(*n*) in the number of waiting listeners, or O(1) if there is no such task.
  func moveTasks(all: Bool, before end: TickCursor, to woken: inout WaitList<WaitingTask>) {
    guard all || lowest < end else { return }
    let candidates = waiting
    (waiting, waitingCount, lowest) = ([], 0, .end)
    for id in candidates {
      guard let cursor = byID[id]?.cursor else { continue }
      if all || cursor < end { byID[id]?.tasks.move(all: all, to: &woken) }
      // Another task may share the listener. The next change wakes it.
      if byID[id]?.tasks.isEmpty == false { waits(id, at: cursor) }
    }
  }
}
