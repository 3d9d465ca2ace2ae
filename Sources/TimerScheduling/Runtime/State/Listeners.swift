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
  /// No listener has a lower number.
  @safe @exclusivity(unchecked) private var firstNumber: UInt64 = 1
  @safe @exclusivity(unchecked) private var joinedCount: UInt64 = 0

  package init() {}

  var isEmpty: Bool { byID.isEmpty }
  var isAwaited: Bool { waitingCount > 0 }

  package func join(_ cursor: TickCursor) -> ID {
    joinedCount += 1
    let id = ID(number: joinedCount)
    byID[id] = Listener(cursor: cursor)
    return id
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  package func leave(_ id: ID) -> WaitList<WaitingTask>? {
    guard let listener = byID.removeValue(forKey: id) else { return nil }
    if !listener.tasks.isEmpty {
      waitingCount -= 1
      // Limits the number of identifiers of listeners that have left.
      if waiting.count > 2 * waitingCount + 64 { waiting.removeAll { byID[$0] == nil } }
    }
    return listener.tasks
  }

  /// The cursor of the listener that joined first, or nil without listeners.
  package var firstCursor: TickCursor? {
    guard !isEmpty else { return nil }
    while byID[ID(number: firstNumber)] == nil { firstNumber += 1 }
    return cursor(of: ID(number: firstNumber))
  }

  func cursor(of id: ID) -> TickCursor? { byID[id]?.cursor }

  package func move(_ id: ID, to cursor: TickCursor) { byID[id]?.cursor = cursor }

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
